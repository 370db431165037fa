import type { Judged, UnjudgedPage } from '../reading/page.ts'
import { judgePage } from './page-rules.ts'
import { parkingSigns } from './parked.ts'
import { judgePhrases } from './phrases.ts'

/** All opinions that follow from a page alone. */
export const judge = (page: UnjudgedPage): Judged => ({
  pageRules: judgePage(page),
  phrases: judgePhrases(page),
  parking: parkingSigns(page),
})
