import type { Links } from '../../http/links.ts'
import type { Product } from '../../listings/product.ts'
import { oEmbedPath } from './oembed.ts'

interface SharingProps {
  product: Product
  summary: string
  links: Links
}

/** oEmbed and schema.org: how programs read the page. */
export function ForPrograms({ product, summary, links }: SharingProps) {
  const { slug, title } = product
  return (
    <>
      <link
        rel="alternate"
        type="application/json+oembed"
        href={links.base + oEmbedPath(slug, links)}
        title={title}
      />
      <script
        type="application/ld+json"
        dangerouslySetInnerHTML={{ __html: dataBlock(product, summary, links.product(slug)) }}
      />
    </>
  )
}

function dataBlock(product: Product, summary: string, address: string): string {
  const { title, url, publishedAt, expiresAt } = product
  const data = {
    '@context': 'https://schema.org',
    '@type': 'ItemPage',
    url: address,
    name: title,
    description: summary,
    datePublished: new Date(publishedAt).toISOString(),
    ...(expiresAt !== null && { expires: new Date(expiresAt).toISOString() }),
    mainEntity: { '@type': 'WebSite', url, name: title },
  }
  // A data block ends at the first `</script`, even inside a JSON string, so escape every `<`.
  return JSON.stringify(data).replaceAll('<', '\\u003c')
}
