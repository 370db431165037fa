import { GREEN } from './accent.ts'
import type { Site } from './site.ts'

/** What it is without any setting. */
export const PLACARD: Site = {
  name: 'Placard',
  tagline: 'A public notice board for websites',
  logo: undefined,
  accent: GREEN,
}
