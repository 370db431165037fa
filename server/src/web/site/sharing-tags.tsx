import type { Links } from '../../http/links.ts'
import { SHARE_HEIGHT, SHARE_WIDTH } from '../../pictures/size.ts'
import { type SharePicture, siteSharePicture } from './share-picture.ts'

interface SharingProps {
  links: Links
  title: string
  description: string
  /** Address of the page. */
  url: string
  /** Other than that of the board itself. */
  picture?: SharePicture | undefined
}

/** Open Graph, and the cards of X: how other services show a page. */
export function SharingTags({ links, title, description, url, ...shared }: SharingProps) {
  const { path, alt } = shared.picture ?? siteSharePicture(links.site)
  const image = links.base + path
  return (
    <>
      <meta property="og:type" content="website" />
      <meta property="og:site_name" content={links.site.name} />
      <meta property="og:title" content={title} />
      <meta property="og:description" content={description} />
      <meta property="og:url" content={url} />
      <meta property="og:image" content={image} />
      <meta property="og:image:type" content="image/png" />
      <meta property="og:image:width" content={String(SHARE_WIDTH)} />
      <meta property="og:image:height" content={String(SHARE_HEIGHT)} />
      <meta property="og:image:alt" content={alt} />
      <meta name="twitter:card" content="summary_large_image" />
      <meta name="twitter:title" content={title} />
      <meta name="twitter:description" content={description} />
      <meta name="twitter:image" content={image} />
      <meta name="twitter:image:alt" content={alt} />
    </>
  )
}
