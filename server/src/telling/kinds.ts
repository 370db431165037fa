import { type RawBuilder, sql } from 'kysely'
import { isUnplaced } from '../payments/unplaced.ts'

/** One thing to tell. What strangers wrote, `title`, is shown by `quoted` alone. */
export interface Item {
  /** When it came. */
  at: number
  /** A code, such as a reason. */
  what: string
  /** Of the listing, or what else it is known by. */
  title: string
  slug: string | null
}

interface Kind {
  one: string
  many: string
  /** The command by which an operator sees them; none where the item says it all. */
  see?: string
  /** What tells new ones from those told: the place of their decision in the chain, which has no gaps, or a time. */
  by: 'position' | 'time'
  /** Selects all that wait: `Item`, and in `told` the place or time. Without one yet, that is 0. */
  waiting: RawBuilder<Item & { told: number }>
}

/** What the operator is told of. A new kind is a row here. */
export const KINDS = {
  report: {
    ...{ one: 'report', many: 'reports', see: 'reports', by: 'position' },
    waiting: sql`
      select coalesce(decision.position, 0) as told, report."createdAt" as at, report.reason as what,
        listing.title, listing.slug
      from report
        join listing on listing.id = report."listingId"
        left join decision on decision.id = report."decisionId"
      where report."settledAt" is null`,
  },
  appeal: {
    ...{ one: 'appeal', many: 'appeals', see: 'appeals', by: 'position' },
    waiting: sql`
      select coalesce(decision.position, 0) as told, decision.at, contested.kind as what,
        coalesce(listing.title, attempt.hostname, '') as title, listing.slug
      from decision
        join decision as contested on contested.id = decision.about
        left join listing on listing.id = decision."listingId"
        left join attempt on attempt."requestId" = decision."requestId"
      where decision.about is not null and decision.kind = 'appeal'
        and not exists (select 1 from decision as answer
          where answer.about = decision.about and answer.kind = 'outcome')`,
  },
  finding: {
    ...{ one: 'finding', many: 'findings', see: 'findings', by: 'time' },
    waiting: sql`
      select finding."firstSeenAt" as told, finding."firstSeenAt" as at, finding.kind as what,
        listing.title, listing.slug
      from finding join listing on listing.id = finding."listingId"
      where finding."settledAt" is null`,
  },
  payment: {
    ...{ one: 'unplaced payment', many: 'unplaced payments', see: 'payments', by: 'time' },
    waiting: sql`
      select max(event."receivedAt") as told, max(event."receivedAt") as at, payment.unplaced as what,
        payment."paymentId" as title, null as slug
      from payment
        join processor_event as event
          on event.processor = payment.processor and event."paymentId" = payment."paymentId"
      where ${isUnplaced}
      group by payment.processor, payment."paymentId", payment.unplaced`,
  },
  warning: {
    ...{ one: 'warning', many: 'warnings', by: 'time' },
    waiting: sql`select at as told, at, kind as what, '' as title, null as slug from warning`,
  },
} as const satisfies Record<string, Kind>

export type KindName = keyof typeof KINDS
