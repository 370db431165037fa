import type { FastifyBaseLogger } from 'fastify'
import { sql } from 'kysely'
import { DueQueue, workOnAllRows } from '../../../platform/db/due-queue.ts'
import { statement } from '../../../platform/db/statement.ts'
import type { Store } from '../../../platform/db/store.ts'
import type { MailKind } from '../../../platform/db/tables/mail.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../platform/lib/time.ts'
import { isPublished } from '../../listings/listed-row.ts'
import { requireAllKeys } from '../../ownership/service-keys/recorded-keys.ts'
import type { SendMail } from '../operator/smtp.ts'
import { type ComposeDependencies, compose, type PlannedMail } from './compose-mail.ts'
import { OPEN_WITHIN_MS } from './lost-link.ts'
import { endAddress } from './mail-address.ts'
import { bodiesOf } from './mail-look.ts'
import { decryptAddress, mailToken } from './mail-secrets.ts'
import { BETWEEN_OVERTAKEN_MS } from './plan-mail.ts'

const CONCURRENT_MAX = 4
const BATCH = 16
/** Longer than any delivery takes. If the process dies before, the mail is sent again when the lease ends. */
const LEASE_MS = 2 * MINUTE_MS
/** After the first failed attempt, the second, and so on; the last one after all later attempts. */
const RETRY_WAITS_MS = [MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, HOUR_MS] as const
/** After this many refusals in a row by its server, an address is deleted. */
const REFUSALS_MAX = 3

/** How long a mail may be sent. Older mails are dropped. */
const worthMs = (kind: MailKind): number => (kind === 'open' ? OPEN_WITHIN_MS : DAY_MS)

export interface MailDependencies extends ComposeDependencies {
  clock: () => number
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>
  send: SendMail
  from: string
  /** Whether the last attempt failed. A failure is logged only once, however long it lasts. */
  state: { isFailing: boolean }
}

interface DueMail extends PlannedMail {
  attempts: number
  sendAt: number
  address: string
  keyCheckValue: string
}

/**
 * While a listing is not shown, mails about its places, its page and its end wait. A mail about overtaken places waits
 * for an earlier one that is retried, because only a sent one starts the six hours between two.
 */
const mails = new DueQueue({
  table: 'outgoing_mail',
  key: 'id',
  dueAt: 'sendAt',
  joins: sql`
    join owner_mail on owner_mail.id = outgoing_mail."addressId"
    join listing on listing.id = outgoing_mail."listingId"`,
  isReady: now => sql`(outgoing_mail.kind not in ('overtaken', 'ends_soon', 'ends_tomorrow', 'page_gone', 'drawn',
      'summary')
      or (${isPublished(now)}))
    and (outgoing_mail.kind <> 'overtaken' or owner_mail."overtakenAt" is null
      or owner_mail."overtakenAt" <= ${now} - ${sql.lit(BETWEEN_OVERTAKEN_MS)} or owner_mail."overtakenAt" > ${now})
    and (outgoing_mail.kind <> 'overtaken' or not exists (select 1 from outgoing_mail as earlier
      where earlier."addressId" = outgoing_mail."addressId" and earlier.kind = 'overtaken'
        and earlier.id < outgoing_mail.id))`,
})

export const countDueMails = (store: Store, now: number): Promise<number> => mails.count(store, now)

const nextMails = statement(
  { now: 'bigint' },
  ({ now }) => sql<DueMail>`
    select outgoing_mail.id, outgoing_mail."addressId", outgoing_mail."listingId", outgoing_mail.kind,
      outgoing_mail.facts, outgoing_mail.at, outgoing_mail.attempts, outgoing_mail."sendAt",
      owner_mail.address, owner_mail."keyCheckValue", owner_mail."summaryRank"
    ${mails.from(now)} order by outgoing_mail."sendAt", outgoing_mail.id limit ${sql.lit(BATCH)}`,
)

/** Sends all due mails, several at once. Returns when none is left. @param stop aborts the attempts; they are repeated later */
export const deliverDueMails = (deps: MailDependencies, stop: AbortSignal): Promise<void> =>
  workOnAllRows(
    () => nextMails(deps.store, { now: deps.clock() }),
    CONCURRENT_MAX,
    stop,
    mail => deliver(deps, mail, stop),
  )

async function deliver(deps: MailDependencies, due: DueMail, stop: AbortSignal): Promise<void> {
  const { store, serviceKeys, links, clock } = deps
  const leased = await mails.lease(store, due, { attempts: due.attempts + 1, sendAt: clock() + LEASE_MS })
  if (!leased) return
  const { id, addressId, kind, at } = leased
  const to = decryptAddress(serviceKeys, { ...leased, id: addressId })
  if (to === undefined) {
    await requireAllKeys(store.db, serviceKeys)
    // The address can't be decrypted, because its service key is lost.
    return store.transact(trx => endAddress(trx, addressId))
  }
  const composed = clock() - at < worthMs(kind) ? await compose(deps, leased, clock()) : undefined
  // The reads may have been cut short. The mail is sent again when the lease ends.
  if (stop.aborted) return
  if (!composed) return settle(deps, leased, 'dropped')
  // After the last mail, there is nothing to turn off.
  const off = kind === 'off' ? undefined : links.mail('off', mailToken(serviceKeys, 'off', [addressId]))
  const mail = {
    from: { name: links.site.name, address: deps.from },
    to,
    subject: composed.letter.subject,
    ...bodiesOf(composed.letter, links, off),
    messageId: `<${id}@${links.hostname}>`,
    date: new Date(at),
    // RFC 8058: mail programs show a button that ends these mails.
    ...(off && { headers: { 'List-Unsubscribe': `<${off}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' } }),
  }
  try {
    await deps.send(mail, stop)
  } catch (error) {
    if (stop.aborted) return
    if (isRefused(error as SmtpError)) return settle(deps, leased, 'refused')
    return retry(deps, leased, error as SmtpError)
  }
  if (deps.state.isFailing) deps.log.info('owners can be mailed again')
  deps.state.isFailing = false
  await settle(deps, leased, 'sent', composed.rank)
}

/** What the library adds to errors. Their messages may contain the address, so they are never logged. */
type SmtpError = Error & { code?: string; command?: string; responseCode?: number; response?: string }

/**
 * Returns whether the server refused the recipient permanently. Servers often refuse the sender or this client only
 * after RCPT TO, and one that refuses to relay would otherwise end the mail of all owners.
 */
const isRefused = ({ code, command, responseCode = 0, response = '' }: SmtpError): boolean =>
  code === 'EENVELOPE' && command === 'RCPT TO' && responseCode >= 500 && isAboutRecipient(response)

/** Codes of RFC 3463 for a bad address or mailbox of the recipient. 5.1.0 may be about either address. */
const RECIPIENT_CODE = /^\d{3}[ -]5\.(?:1\.(?![078]\b)|2\.)/

function isAboutRecipient(response: string): boolean {
  if (/^\d{3}[ -]\d\.\d/.test(response)) return RECIPIENT_CODE.test(response)
  // Without such a code, as from Exim, only the words show it. The address itself may contain these words.
  const words = response
    .split(/[<>]/)
    .filter((_, nth) => nth % 2 === 0)
    .join()
  return /user|mailbox|recipient|account|address/i.test(words) && !/relay|sender/i.test(words)
}

async function retry({ store, clock, log, state }: MailDependencies, leased: DueMail, error: SmtpError): Promise<void> {
  const { code = error.name, responseCode } = error
  if (!state.isFailing) log.warn({ code, responseCode, mail: leased.id }, 'could not mail an owner; will retry')
  state.isFailing = true
  const waitMs = RETRY_WAITS_MS[leased.attempts - 1] ?? HOUR_MS
  await store.transact(trx => mails.settle(trx, leased, { sendAt: clock() + waitMs }))
}

/** Ends a mail, and records what follows for its address. */
function settle(
  { store, clock }: MailDependencies,
  leased: DueMail,
  outcome: 'sent' | 'refused' | 'dropped',
  rank?: number,
): Promise<void> {
  const { id, addressId, kind } = leased
  return store.transact(async trx => {
    // Another process may have sent it too, after this one was stopped for long.
    if (!(await mails.settle(trx, leased, { sendAt: null }))) return
    if (kind === 'off') return endAddress(trx, addressId)
    if (kind !== 'open' || outcome !== 'sent') await trx.deleteFrom('outgoing_mail').where('id', '=', id).execute()
    const address = trx.updateTable('owner_mail').where('id', '=', addressId)
    if (outcome === 'sent') {
      const overtaken = kind === 'overtaken' && { overtakenAt: clock() }
      await address
        .set({ refusals: 0, ...overtaken, ...(kind === 'summary' && { summaryRank: rank ?? null }) })
        .execute()
    }
    if (outcome !== 'refused') return
    const { refusals } = await address
      .set(eb => ({ refusals: eb('refusals', '+', 1) }))
      .returning('refusals')
      .executeTakeFirstOrThrow()
    if (refusals >= REFUSALS_MAX) await endAddress(trx, addressId)
  })
}
