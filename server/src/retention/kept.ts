import type { Store } from '../storage/store.ts'

/**
 * Deletes or folds the oldest few rows from before a time, in one short transaction. Doing it twice, or in two places
 * at once, has the same effect as doing it once.
 *
 * @returns how many rows it has handled; fewer than `ROWS_AT_ONCE` if none are left
 */
type Step = (store: Store, before: number, now: number) => Promise<number>

export interface Kept {
  /** What the rows are, in words. */
  what: string
  /** How long they are kept, in words. */
  kept: string
  why: string
  /** The age at which rows end, and the step that ends them. Without it, the job leaves them alone. */
  end?: { days: number; step: Step }
}

export const forDays = (days: number, words: string, step: Step) => ({
  kept: `${days} ${days === 1 ? 'day' : 'days'}${words}`,
  end: { days, step },
})
export const FOR_GOOD = { kept: 'for good' }
export const AS_ITS_LISTING = { kept: 'as long as its listing' }

/** How long unpaid orders and what we told can be looked up. */
export const LOOKED_UP_DAYS = 90
