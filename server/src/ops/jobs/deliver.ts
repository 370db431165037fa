import { sql } from 'kysely'
import { isPublished } from '../../domain/listings/listed-row.ts'
import { findDecision, statementOf } from '../../domain/moderation/appeals/statement.ts'
import { mailSender } from '../../domain/notifications/operator/smtp.ts'
import { deliverDueEvents, type EventSource, noticeEvents } from '../../domain/notifications/owner/deliver.ts'
import { countDueMails, deliverDueMails } from '../../domain/notifications/owner/deliver-mail.ts'
import { summaryMonday } from '../../domain/notifications/owner/mail-message.ts'
import { planMail } from '../../domain/notifications/owner/plan-mail.ts'
import { submissionEvents } from '../../domain/publishing/submission-webhooks.ts'
import { statement } from '../../platform/db/statement.ts'
import type { Store } from '../../platform/db/store.ts'
import { SECOND_MS } from '../../platform/lib/time.ts'
import { load, recordSuccess } from './check-followed-pages.ts'
import type { JobDefinition } from './job.ts'

const deliver = <Due extends { host: string }>(
  source: EventSource<Due>,
  names: Pick<JobDefinition, 'name' | 'does'>,
): JobDefinition<'fetchers' | 'serviceKeys' | 'links' | 'clock'> => ({
  ...names,
  everyMs: SECOND_MS,
  countDue: source.count,
  start:
    ({ fetchers, ...deps }) =>
    ({ store, signal }) =>
      deliverDueEvents(source, { ...deps, store, fetcher: fetchers.webhooks }, signal),
})

export const deliverWebhooks = deliver(noticeEvents, { name: 'notices', does: 'posts to webhooks of owners' })
export const deliverEvents = deliver(submissionEvents, { name: 'events', does: 'posts to webhooks of agents' })

/** Plans the summaries of the week, and sends the mails to owners that are due. */
export const mailOwners: JobDefinition<'config' | 'fetchers' | 'serviceKeys' | 'links' | 'clock' | 'log'> = {
  name: 'mail',
  does: 'mails owners',
  everyMs: SECOND_MS,
  isOn: ({ notifications }) => notifications.mail !== undefined,
  countDue: countDueMails,
  start: ({ config, fetchers, ...deps }) => {
    const { mail } = config.notifications
    if (!mail) throw new Error('the job mail needs SMTP_URL')
    const send = mailSender(mail)
    const state = { isFailing: false }
    let plannedMonday = ''
    return async ({ store, signal, isFirst }) => {
      const reasonsFor = async (decisionId: string) => {
        const decision = await findDecision(store.db, decisionId)
        return decision && statementOf(decision, deps.links, deps.clock())
      }
      const isBack = async (listingId: number, url: string) => {
        if ((await load(fetchers.followed, url, signal)) !== 'loads') return false
        await recordSuccess(store, listingId)
        return true
      }
      plannedMonday = await planSummaries(store, deps.clock(), isFirst ? '' : plannedMonday, signal)
      await deliverDueMails({ ...deps, store, send, from: mail.from, reasonsFor, isBack, state }, signal)
    }
  },
}

const BATCH = 200

/**
 * Plans the summary of last week for each address that was confirmed before its Monday, once, from 7:00 UTC on.
 *
 * @param planned the Monday that an earlier call returned
 * @returns the Monday that all summaries are planned for
 */
async function planSummaries(store: Store, now: number, planned: string, stop: AbortSignal): Promise<string> {
  const monday = summaryMonday(now)
  if (monday === planned) return planned
  while (!stop.aborted) {
    const due = await dueSummaries(store, { monday, since: Date.parse(monday), now })
    await store.transact(async trx => {
      for (const { id, listingId } of due) {
        const { numUpdatedRows } = await trx
          .updateTable('owner_mail')
          .set({ summaryDay: monday })
          .where('id', '=', id)
          .where('summaryDay', 'is distinct from', monday)
          .executeTakeFirst()
        if (numUpdatedRows > 0n) await planMail(trx, listingId, { kind: 'summary', facts: { monday } }, now)
      }
    })
    if (due.length < BATCH) return monday
  }
  return planned
}

const dueSummaries = statement(
  { monday: 'text', since: 'bigint', now: 'bigint' },
  ({ monday, since, now }) => sql<{ id: string; listingId: number }>`
    select owner_mail.id, owner_mail."listingId" from owner_mail
      join listing on listing.id = owner_mail."listingId"
    where "confirmedAt" is not null and "confirmedAt" < ${since} and choices like '%summary%'
      and ${isPublished(now)}
      and ("summaryDay" is null or "summaryDay" < ${monday})
    order by owner_mail."listingId" limit ${sql.lit(BATCH)}`,
)
