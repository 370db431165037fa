import { PLACARD } from '../site/placard.ts'
import type { Row } from './row.ts'
import { accent, siteWords, text } from './values.ts'

/** Whose board it is. */
export const SITE_SETTINGS = {
  SITE_NAME: {
    default: PLACARD.name,
    meaning:
      'What the board is called: on its pages, in feeds, pictures and the texts for agents. At most 30 characters.',
    parse: siteWords(30),
  },
  SITE_TAGLINE: {
    default: PLACARD.tagline,
    meaning:
      'A few words on what it is, without a full stop: the title of the home page. At most 80 characters.',
    parse: siteWords(80),
  },
  SITE_LOGO: {
    unset: 'the name, in type',
    meaning:
      'Path of an SVG file that stands for the name at the top of each page; on the home page, it stands on the accent. At most 64 KiB, without scripts and references to other files.',
    parse: text,
  },
  SITE_ACCENT: {
    unset: 'Placard’s green, #0f4a3a',
    meaning:
      'Colour of the board and of the foot of pages, like #0f4a3a. It needs a contrast of 4.5:1 with paper (#faf8f2); the variants for the dark theme follow from it.',
    parse: accent,
  },
} as const satisfies Record<string, Row>
