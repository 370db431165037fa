import { daysMs } from '../time.ts'

const HOUR_MS = 60 * 60 * 1000

/** What decides how often a listing is looked at. */
export interface Looked {
  id: number
  publishedAt: number
  /** Null with verified payments. */
  expiresAt: number | null
  /** Views and clicks of the last seven days. */
  visits: number
}

const YOUNG_DAYS = 14
const POPULAR_VISITS = 50

/** How often a page is looked at: the first row that fits. The same table is in docs/review.md. */
const SCHEDULE: readonly { fits(listing: Looked, now: number): boolean; everyDays: number }[] = [
  // What is bait until it is listed turns soon.
  { fits: ({ publishedAt }, now) => publishedAt > now - daysMs(YOUNG_DAYS), everyDays: 1 },
  { fits: ({ expiresAt }) => expiresAt === null, everyDays: 1 },
  { fits: ({ visits }) => visits >= POPULAR_VISITS, everyDays: 3 },
  { fits: () => true, everyDays: 7 },
]

/** Waits after the first look that found something to tell, the second, and so on. After the last, the operator is told. */
const WAITS_MS = [HOUR_MS, 6 * HOUR_MS, 24 * HOUR_MS] as const
export const TRIES_MAX = WAITS_MS.length + 1

/** From a publish, which has just read the page. */
export const FIRST_WAIT_MS = daysMs(1)
/** When a listing that is not shown is considered again. What brings it back asks for a look at once. */
export const NOT_SHOWN_WAIT_MS = daysMs(7)
/** After a look that could not tell anything. */
export const UNSURE_WAIT_MS = HOUR_MS
/** Longer than any look takes. If the process dies meanwhile, another look begins then. */
export const LEASE_MS = 15 * 60 * 1000

/** Each wait is up to a tenth shorter or longer, always the same for a listing, so that those of one day spread out. */
const spread = (id: number): number => 1 + ((id * 7919) % 201) / 1000 - 0.1

/** @param tries looks in a row that found something to tell */
export function waitBetweenLooks(listing: Looked, tries: number, now: number): number {
  const wait = WAITS_MS[tries - 1]
  if (wait !== undefined) return wait
  const { everyDays = 7 } = SCHEDULE.find(({ fits }) => fits(listing, now)) ?? {}
  return Math.round(daysMs(everyDays) * spread(listing.id))
}
