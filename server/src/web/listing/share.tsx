import type { Links } from '../../http/links.ts'
import type { Product } from '../../listings/product.ts'
import { BADGE_HEIGHT } from './badge.ts'

interface ShareProps {
  product: Pick<Product, 'slug' | 'title'>
  links: Links
  /** What the address is called where another page shows it. */
  addressName?: string
}

/** What to copy to show a listing elsewhere: its address, and the code of its badge. Needs `copy.js` for its buttons. */
export function Share({ product, links, addressName = 'Address of this page' }: ShareProps) {
  const { slug, title } = product
  return (
    <>
      <Copied id="share-address" name={addressName} value={links.product(slug)} />
      <Copied id="share-badge" name="Badge for your website" value={badgeCode(slug, title, links)} />
      <p class="badge">
        <img src={`/badge/${slug}.svg`} height={BADGE_HEIGHT} alt="" loading="lazy" />
      </p>
    </>
  )
}

function Copied({ id, name, value }: { id: string; name: string; value: string }) {
  return (
    <div>
      <label for={id}>{name}</label>
      <div class="ask">
        <input type="text" id={id} value={value} readOnly />
        <button class="btn" type="button" data-copy={id} hidden>
          Copy
        </button>
      </div>
    </div>
  )
}

/** HTML that shows the badge and leads to the listing. */
export function badgeCode(slug: string, title: string, links: Links): string {
  const image = `<img src="${links.badge(slug)}" height="${BADGE_HEIGHT}" alt="${html(`${title}, on Placard`)}">`
  return `<a href="${links.product(slug)}">${image}</a>`
}

const html = (text: string): string => text.replace(/[<>&"]/g, character => `&#${character.codePointAt(0)};`)
