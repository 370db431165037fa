import { type Insertable, sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import type { Trx } from '../../../platform/db/store.ts'
import type { Database } from '../../../platform/db/tables/index.ts'
import type { MailChoice, MailKind } from '../../../platform/db/tables/mail.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../platform/lib/time.ts'
import type { SharedNotice } from './notice-words.ts'

/** A mail as it is planned: without addresses and titles, because those can change until it is sent. */
export type Planned =
  /** What happened is in the notices that name this mail. */
  | { kind: 'overtaken'; facts: Record<string, never> }
  | SharedNotice
  | { kind: 'ends_tomorrow'; facts: { endsAt: number } }
  | { kind: 'decided'; facts: { decisionId: string } }
  /** A UTC day. The summary is of the seven days before. */
  | { kind: 'summary'; facts: { monday: string } }
  | { kind: 'confirm' | 'open' | 'replaced' | 'off'; facts: Record<string, never> }

/** The choices, in the order of the form. */
export const MAIL_CHOICES: readonly MailChoice[] = ['overtaken', 'ends', 'decided', 'page_gone', 'drawn', 'summary']

/** A new address is mailed about everything but the summary. */
export const FIRST_CHOICES = MAIL_CHOICES.filter(choice => choice !== 'summary')

/** Stored instead of choices for an address that gets only its last mail. */
export const TURNED_OFF = 'off'

/** Whether an address is confirmed and gets more than its last mail. */
export const GETS_MAIL = sql<boolean>`
  owner_mail."confirmedAt" is not null and owner_mail.choices <> ${sql.lit(TURNED_OFF)}`

/** The choice that a kind of mail depends on. Other kinds are always sent: the owner requested them, or must act. */
const CHOICE_OF: Partial<Record<MailKind, MailChoice>> = {
  overtaken: 'overtaken',
  ends_soon: 'ends',
  ends_tomorrow: 'ends',
  decided: 'decided',
  page_gone: 'page_gone',
  drawn: 'drawn',
  summary: 'summary',
}

/** The shortest time between two mails of a listing about overtaken places. */
export const BETWEEN_OVERTAKEN_MS = 6 * HOUR_MS

/** How long a mail about overtaken places waits for more: one payment can count on two boards. */
const COLLECT_MS = MINUTE_MS

/**
 * Plans a mail in the caller's transaction, if the listing has a confirmed address whose owner chose it. Overtaken
 * places join the mail that is not sent yet.
 *
 * @param sendAt the time, if it is later than now
 * @returns the id of the mail; undefined if there is none
 */
export async function planMail(
  trx: Trx,
  listingId: number,
  planned: Planned,
  now: number,
  sendAt = now,
): Promise<string | undefined> {
  const address = await trx
    .selectFrom('owner_mail')
    .select(['id', 'choices', 'overtakenAt'])
    .where('listingId', '=', listingId)
    .where(GETS_MAIL)
    .executeTakeFirst()
  const choice = CHOICE_OF[planned.kind]
  if (!address || (choice && !readChoices(address.choices).includes(choice))) return undefined
  const to = { addressId: address.id, listingId }
  if (planned.kind !== 'overtaken') return putMail(trx, to, planned, sendAt)
  // The update locks the row: the mail was sent before, or is sent after this transaction, with its notice.
  const joined = await trx
    .updateTable('outgoing_mail')
    .set({ attempts: 0 })
    .where('addressId', '=', address.id)
    .where('kind', '=', 'overtaken')
    .where('attempts', '=', 0)
    .returning('id')
    .executeTakeFirst()
  // A time in the future is from before the clock was set back.
  const lastAt = address.overtakenAt !== null && address.overtakenAt <= now ? address.overtakenAt : 0
  const collected = Math.max(now + COLLECT_MS, lastAt + BETWEEN_OVERTAKEN_MS)
  return joined?.id ?? putMail(trx, to, planned, collected)
}

/** Plans the mail about the last day of a listing whose end was announced, unless that day has come. */
export async function planLastDay(trx: Trx, listingId: number, endsAt: number, now: number): Promise<void> {
  const lastDayAt = endsAt - DAY_MS
  // A listing that ends within two days was announced just now.
  if (lastDayAt > now + DAY_MS) {
    await planMail(trx, listingId, { kind: 'ends_tomorrow', facts: { endsAt } }, now, lastDayAt)
  }
}

/** Plans a mail to an address, whatever its owner chose. @returns its id */
export async function putMail(
  trx: Trx,
  to: { addressId: string; listingId: number },
  { kind, facts }: Planned,
  sendAt: number,
): Promise<string> {
  const mail = { id: uuidv7(), ...to, kind, facts: JSON.stringify(facts), at: sendAt, sendAt }
  await trx
    .insertInto('outgoing_mail')
    .values(mail satisfies Insertable<Database['outgoing_mail']>)
    .execute()
  return mail.id
}

/** Drops the planned mails that an address no longer gets. */
export async function dropUnchosen(trx: Trx, addressId: string, choices: readonly MailChoice[]): Promise<void> {
  const kinds = Object.entries(CHOICE_OF).flatMap(([kind, choice]) =>
    choices.includes(choice) ? [] : [kind as MailKind],
  )
  if (kinds.length === 0) return
  await trx.deleteFrom('outgoing_mail').where('addressId', '=', addressId).where('kind', 'in', kinds).execute()
}

/** Returns the stored choices. */
export const readChoices = (text: string): MailChoice[] => {
  const chosen = text.split(',')
  return MAIL_CHOICES.filter(choice => chosen.includes(choice))
}
