import type { Links } from '../../http/links.ts'
import type { Product } from '../../listings/product.ts'
import { BADGE_HEIGHT, BADGE_STYLES } from './badge.ts'

interface ShareProps {
  product: Pick<Product, 'slug' | 'title' | 'expiresAt'>
  links: Links
  /** What the address is called where another page shows it. */
  addressName?: string
}

/** What a badge may be asked to be; nothing is the light one, with the rank of all time. */
interface BadgeChoice {
  style?: string
  board?: string
}

/** What to copy to show a listing elsewhere: its address, and the codes of its badges. Needs `copy.js` for its buttons. */
export function Share({ product, links, addressName = 'Address of this page' }: ShareProps) {
  const { slug, expiresAt } = product
  const others: [name: string, choice: BadgeChoice][] = BADGE_STYLES.filter(style => style !== 'light').map(
    style => [`${style[0]?.toUpperCase()}${style.slice(1)} badge`, { style }],
  )
  // Without verified money there is no rank to show.
  if (expiresAt === null) others.push(['Badge with today’s rank', { board: 'today' }])
  return (
    <>
      <Copied id="share-address" name={addressName} value={links.product(slug)} />
      <CopiedBadge
        id="share-badge"
        name="Badge for your website"
        choice={{}}
        product={product}
        links={links}
      />
      <details>
        <summary>Other badges</summary>
        {others.map(([name, choice], place) => (
          <CopiedBadge key={name} id={`share-badge-${place}`} {...{ name, choice, product, links }} />
        ))}
      </details>
    </>
  )
}

interface CopiedBadgeProps extends Omit<ShareProps, 'addressName'> {
  id: string
  name: string
  choice: BadgeChoice
}

function CopiedBadge({ id, name, choice, product, links }: CopiedBadgeProps) {
  const path = links.badge(product.slug, choice).slice(links.base.length)
  return (
    <>
      <Copied id={id} name={name} value={badgeCode(product, links, choice)} />
      <p class="badge">
        <img src={path} height={BADGE_HEIGHT} alt="" loading="lazy" />
      </p>
    </>
  )
}

/** A text to copy. Needs `copy.js` for its button. */
export function Copied({ id, name, value }: { id: string; name: string; value: string }) {
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

/** HTML that shows a badge and leads to the listing. */
export function badgeCode(
  { slug, title }: Pick<Product, 'slug' | 'title'>,
  links: Links,
  choice: BadgeChoice = {},
): string {
  const alt = html(`${title}, on ${links.site.name}`)
  const image = `<img src="${html(links.badge(slug, choice))}" height="${BADGE_HEIGHT}" alt="${alt}">`
  return `<a href="${links.product(slug)}">${image}</a>`
}

const html = (text: string): string => text.replace(/[<>&"]/g, character => `&#${character.codePointAt(0)};`)
