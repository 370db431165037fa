import type { Links } from '../../http/links.ts'
import type { Product } from '../../listings/product.ts'
import { sharePicturePath } from '../../pictures/path.ts'
import { SHARE_HEIGHT, SHARE_WIDTH } from '../../pictures/size.ts'
import { oEmbedPath } from './oembed.ts'

interface SharingProps {
  product: Product
  summary: string
  links: Links
}

/** Open Graph and schema.org: how other services show the page and programs read it. */
export function SharingTags({ product, summary, links }: SharingProps) {
  const { slug, title } = product
  const address = links.product(slug)
  return (
    <>
      <meta property="og:type" content="website" />
      <meta property="og:site_name" content="Placard" />
      <meta property="og:title" content={title} />
      <meta property="og:description" content={summary} />
      <meta property="og:url" content={address} />
      <meta property="og:image" content={links.base + sharePicturePath(slug)} />
      <meta property="og:image:type" content="image/png" />
      <meta property="og:image:width" content={String(SHARE_WIDTH)} />
      <meta property="og:image:height" content={String(SHARE_HEIGHT)} />
      <meta property="og:image:alt" content={`${title}, on Placard`} />
      <meta name="twitter:card" content="summary_large_image" />
      <link
        rel="alternate"
        type="application/json+oembed"
        href={links.base + oEmbedPath(slug, links)}
        title={title}
      />
      <script
        type="application/ld+json"
        dangerouslySetInnerHTML={{ __html: dataBlock(product, summary, address) }}
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
