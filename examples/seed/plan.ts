import { PICK } from './featured.ts'
import { WEBSITES, type Website } from './listings.ts'
import { type Random, randomFrom } from './random.ts'
import { REPORTS, type SeedReport } from './reports.ts'

export const HOUR_MS = 60 * 60 * 1000
export const DAY_MS = 24 * HOUR_MS

const NEW_TODAY = 3
/** How many listings are old enough to have expired, unless they have paid. */
const OLD_LISTINGS = 15
/** These never expire, and nobody reports them: what the operator recommends, and one website of each category. */
const ON_SHOW = new Set(
  WEBSITES.filter(
    ({ host, category }, nth) => host === PICK.host || WEBSITES.findIndex(one => one.category === category) === nth,
  ),
)

const PAYING_LISTINGS = 36
const PAYMENTS = 60
const PAYMENTS_TODAY = 7
/** What people pay, mostly little, in whole US dollars. */
const AMOUNTS_USD = [5, 5, 8, 10, 10, 12, 15, 20, 20, 25, 30, 40, 55, 75, 99, 120, 180, 250, 420]

/** Who publishes, pays and is reported, and when. Times in Unix milliseconds. */
export interface Plan {
  /** All websites, most popular first. */
  popular: Website[]
  publications: { website: Website; at: number }[]
  payments: PlannedPayment[]
  reports: { website: Website; at: number; report: SeedReport }[]
}

export interface PlannedPayment {
  website: Website
  at: number
  board: 'all' | 'today'
  amountUsd: number
  /** What happened to it later. */
  undone?: { at: number; act: 'refund' | 'refund_all' | 'dispute' }
}

/** The same plan for a whole UTC day, except for the day's own events, which all happen before `now`. */
export function planUntil(now: number): Plan {
  const midnight = Math.floor(now / DAY_MS) * DAY_MS
  const random = randomFrom(new Date(midnight).toISOString())
  const publications = planPublications(midnight, now, random)
  const payments = planPayments(publications, midnight, now, random)
  const reports = planReports(publications, payments, midnight, now)
  return { popular: planPopular(payments, random), publications, payments, reports }
}

/** More in the last weeks than before, as on a growing board. */
function planPublications(midnight: number, now: number, random: Random): Plan['publications'] {
  const websites = random.shuffled(WEBSITES)
  const old = new Set(
    websites
      .slice(NEW_TODAY)
      .filter(website => !ON_SHOW.has(website))
      .slice(0, OLD_LISTINGS),
  )
  return websites.map((website, nth) => {
    if (nth < NEW_TODAY) return { website, at: random.between(midnight, now) }
    const ageDays = old.has(website) ? random.between(61, 100) : random.next() ** 1.5 * 58
    return { website, at: midnight - ageDays * DAY_MS }
  })
}

function planPayments(
  publications: Plan['publications'],
  midnight: number,
  now: number,
  random: Random,
): PlannedPayment[] {
  const payers = random.shuffled(publications.filter(({ at }) => at < midnight - 2 * DAY_MS)).slice(0, PAYING_LISTINGS)
  const first = payers.map(({ website, at }) => {
    // Soon after listing, since it may have ended later.
    const paidAt = at + random.between(0.05, 0.9) * Math.min(30 * DAY_MS, midnight - at)
    return newPayment(website, paidAt, random)
  })
  const regulars = first.slice(0, -LAST_TO_PAY_ONCE)
  const again = Array.from({ length: PAYMENTS - first.length - 1 }, (_, nth) => {
    const { website, at } = regulars[Math.floor(random.next() ** 2 * regulars.length)] as PlannedPayment
    const payment = newPayment(website, random.between(at, midnight), random)
    const todayAt = random.between(midnight, now)
    return nth < PAYMENTS_TODAY - 1 ? { ...payment, at: todayAt, board: 'today' as const } : payment
  })
  again.push(climb(regulars, random.between(midnight, now)))
  undoSome(first.slice(-LAST_TO_PAY_ONCE), midnight, random)
  return [...first, ...again]
}

/** Whoever paid least pays a lot today, so that there is always movement. */
function climb(payments: readonly PlannedPayment[], at: number): PlannedPayment {
  const least = payments.reduce((a, b) => (b.amountUsd < a.amountUsd ? b : a))
  return { website: least.website, at, board: 'all', amountUsd: 150 }
}

/** Listings that pay get more views, by and large. */
function planPopular(payments: PlannedPayment[], random: Random): Website[] {
  const payers = new Set(payments.map(payment => payment.website))
  return WEBSITES.map(website => ({ website, place: random.next() * (payers.has(website) ? 0.4 : 1) }))
    .sort((a, b) => a.place - b.place)
    .map(({ website }) => website)
}

/** Reports about listings that have been up for weeks, have not paid, and need not stay on show. */
function planReports(
  publications: Plan['publications'],
  payments: PlannedPayment[],
  midnight: number,
  now: number,
): Plan['reports'] {
  const spared = new Set([...ON_SHOW, ...payments.map(payment => payment.website)])
  const reported = publications.filter(
    ({ website, at }) => !spared.has(website) && at > midnight - 50 * DAY_MS && at < midnight - 21 * DAY_MS,
  )
  return REPORTS.map((report, nth) => ({
    website: (reported[nth] as (typeof reported)[number]).website,
    at: now - report.hoursAgo * HOUR_MS,
    report,
  }))
}

/** These pay only once, so that a refund's effect is clear. */
const LAST_TO_PAY_ONCE = 8
const UNDONE = ['refund_all', 'refund_all', 'refund', 'dispute', 'refund_all'] as const

/** Some days after the payment, but before today. */
function undoSome(payments: PlannedPayment[], midnight: number, random: Random): void {
  for (const [nth, act] of UNDONE.entries()) {
    const payment = payments[nth] as PlannedPayment
    payment.undone = { at: random.between(payment.at, Math.min(payment.at + 6 * DAY_MS, midnight)), act }
  }
}

const newPayment = (website: Website, at: number, random: Random): PlannedPayment => ({
  website,
  at,
  board: random.next() < 0.3 ? 'today' : 'all',
  amountUsd: random.pick(AMOUNTS_USD),
})
