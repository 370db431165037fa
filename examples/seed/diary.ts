import { DRAWS, PICK } from './featured.ts'
import type { Life } from './life.ts'
import { DAY_MS, HOUR_MS, type Plan } from './plan.ts'
import { randomFrom } from './random.ts'

/** Something that happens at a time, in Unix milliseconds. */
interface Moment {
  at: number
  act: () => Promise<void>
}

const SETTLED_AFTER_MS = 5 * HOUR_MS
const DAYS_OF_VIEWS = 30
/** How far back boards compare to show movement. */
const HOURS_OF_BOARDS = 25

/** Everything in a plan, in order, with people who look at listings and boards. */
export function diaryOf({ popular, publications, payments, reports }: Plan, life: Life, now: number): Moment[] {
  const midnight = Math.floor(now / DAY_MS) * DAY_MS
  const random = randomFrom(`views until ${midnight}`)
  const moments: Moment[] = [
    ...publications.map(({ website, at }) => ({ at, act: () => life.publish(website) })),
    ...payments.map(payment => ({ at: payment.at, act: () => life.pay(payment) })),
    ...payments.flatMap(payment => {
      const { undone } = payment
      return undone ? [{ at: undone.at, act: () => life.undo(payment, undone.act) }] : []
    }),
    ...reports.flatMap(({ website, at, report }) => [
      { at, act: () => life.report(website, report) },
      { at: at + SETTLED_AFTER_MS, act: () => life.settle(website, report) },
    ]),
    ...Array.from({ length: DRAWS }, (_, daysAgo) => ({ at: midnight - daysAgo * DAY_MS, act: () => life.draw() })),
    ...publications
      .filter(({ website }) => website.host === PICK.host)
      .map(({ website, at }) => ({ at: Math.max(at, midnight - 3 * DAY_MS), act: () => life.pick(website, PICK) })),
    ...Array.from({ length: DAYS_OF_VIEWS }, (_, daysAgo) => {
      const at = daysAgo === 0 ? now : midnight - (daysAgo - 0.9) * DAY_MS
      return { at, act: () => life.look(popular, random) }
    }),
    ...Array.from({ length: HOURS_OF_BOARDS }, (_, hoursAgo) => ({
      at: now - hoursAgo * HOUR_MS,
      act: () => life.openBoards(),
    })),
  ]
  return moments.map(({ at, act }) => ({ at: Math.floor(at), act })).sort((a, b) => a.at - b.at)
}
