import type { Site } from '../../site/site.ts'
import { ICONS, iconPath } from './site-files.ts'

/** What a system needs to put the board among its programs (W3C Web Application Manifest). */
export const manifestOf = (site: Site) => ({
  id: '/',
  name: site.name,
  short_name: site.name,
  description: site.tagline,
  lang: 'en',
  start_url: '/',
  scope: '/',
  display: 'minimal-ui',
  background_color: '#faf8f2',
  theme_color: site.accent.light.board,
  icons: (['small', 'large', 'maskable'] as const).map(icon => {
    const { size, isMaskable } = ICONS[icon]
    return {
      src: iconPath(icon, site),
      sizes: `${size}x${size}`,
      type: 'image/png',
      purpose: isMaskable ? 'maskable' : 'any',
    }
  }),
})
