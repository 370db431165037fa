import type { Judged, UnjudgedPage } from '../page.ts'
import { judgePage, parkingSigns } from './page-rules.ts'
import { judgePhrases } from './phrases.ts'

/** Returns all opinions that follow from the page alone. They are formed in the process that parses it. */
export const judge = (page: UnjudgedPage): Judged => ({
  pageRules: judgePage(page),
  phrases: judgePhrases(page),
  parking: parkingSigns(page),
})
