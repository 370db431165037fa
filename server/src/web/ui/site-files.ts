import { brandOf, type Drawing, drawingVersion } from '../../domain/pictures/drawing.ts'
import { accentStyles, GREEN } from '../../platform/config/accent.ts'
import { PLACARD, type Site } from '../../platform/config/site.ts'
import { type Tagged, tagged } from '../../platform/http/send.ts'

/** A site's own files. All addresses have a version, so that they can be cached permanently. */
export interface SiteFiles {
  logo: SiteFile | undefined
  /** The style sheet that replaces the default colour. */
  accent: SiteFile | undefined
}

export interface SiteFile extends Tagged {
  path: string
  version: string
}

export const siteFiles = perSite(
  ({ logo, accent }: Site): SiteFiles => ({
    logo: logo && fileOf('/logo.svg', logo.svg),
    accent: accent === GREEN ? undefined : fileOf('/accent.css', accentStyles(accent)),
  }),
)

function fileOf(path: string, body: string | Buffer): SiteFile {
  const file = tagged(body)
  const version = file.etag.slice(1, 13)
  return { ...file, version, path: `${path}?v=${version}` }
}

/** Whether it has our name and colour, so that what we drew by hand is right. */
export const isOurs = ({ name, accent }: Site): boolean => name === PLACARD.name && accent === GREEN

/** Icons for what installs a page: their paths without a version, and their sides in pixels. */
export const ICONS = {
  touch: { path: '/apple-touch-icon.png', size: 180, isMaskable: false },
  small: { path: '/icon-192.png', size: 192, isMaskable: false },
  large: { path: '/icon-512.png', size: 512, isMaskable: false },
  maskable: { path: '/icon-maskable-512.png', size: 512, isMaskable: true },
} as const

type Icon = keyof typeof ICONS

export const iconDrawing = (icon: Icon, site: Site): Drawing => {
  const { size, isMaskable } = ICONS[icon]
  return { kind: 'icon', brand: brandOf(site), size, isMaskable }
}

/** Address of an icon, with its version. */
export const iconPath = (icon: Icon, site: Site): string =>
  `${ICONS[icon].path}?v=${drawingVersion(iconDrawing(icon, site))}`

/** Makes something once for each site: in tests, one process serves several. */
export function perSite<Made>(make: (site: Site) => Made): (site: Site) => Made {
  const made = new WeakMap<Site, Made>()
  return site => {
    const known = made.get(site)
    if (known !== undefined) return known
    const fresh = make(site)
    made.set(site, fresh)
    return fresh
  }
}
