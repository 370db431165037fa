import { FACTS_DAYS } from '../../decisions/end-facts.ts'
import { foldTraffic } from '../../listings/fold-traffic.ts'
import { forgetSettledReports } from '../../moderation/forget-reports.ts'
import { forgetEndedBlocks } from '../../review/blocked-hosts.ts'
import type { SiteTables } from '../../storage/schema/site.ts'
import { AS_ITS_LISTING, FOR_GOOD, forDays, type Kept, LOOKED_UP_DAYS } from '../kept.ts'

/** Longer than any daily chart. */
const DAYS_OF_TRAFFIC = 90

export const SITE: Record<keyof SiteTables, readonly Kept[]> = {
  picture: [
    {
      what: 'The picture of a listing',
      ...AS_ITS_LISTING,
      why: 'It is shown again when the listing is restored.',
    },
  ],
  listing_day: [
    {
      what: 'Views and clicks of a listing on a day',
      ...forDays(DAYS_OF_TRAFFIC, ', then as part of their month', foldTraffic),
      why: 'The private page shows the last days one by one.',
    },
    {
      what: 'Views and clicks of a listing in a month',
      ...AS_ITS_LISTING,
      why: 'Together they give the listing’s lifetime numbers.',
    },
  ],
  report: [
    {
      what: 'A report that nobody has settled yet',
      kept: 'until it is settled',
      why: 'Somebody has to look at it.',
    },
    {
      what: 'A report that was settled',
      ...forDays(FACTS_DAYS, ' after it was settled', forgetSettledReports),
      why: 'The sender may contest what was done for six months.',
    },
  ],
  blocked_host: [
    {
      what: 'A host whose websites the operator does not list',
      kept: 'until the operator ends it',
      why: 'Review refuses it.',
    },
    {
      what: 'One that was ended',
      ...forDays(LOOKED_UP_DAYS, ' after it was ended', forgetEndedBlocks),
      why: 'It can be looked up.',
    },
  ],
  search_word: [
    {
      what: 'A word that some listing uses or used',
      ...FOR_GOOD,
      why: 'Search finds it by a part of it, or with a typo. It says nothing about which listing.',
    },
  ],
  search_stale: [
    {
      what: 'A listing that search does not find by all of its words yet',
      kept: 'until it does',
      why: 'A new version of this software has changed what search finds a listing by.',
    },
  ],
}
