import { hash, randomBytes } from 'node:crypto'
import { APPROVAL_CODE_PATTERN, APPROVAL_LIFETIME_MS, type Approval, type ApprovalStatus } from '@placard/contract'
import { type Selectable, sql } from 'kysely'
import type { Store, Trx } from '../../platform/db/store.ts'
import type { Database } from '../../platform/db/tables/index.ts'
import { Problem } from '../../platform/http/problem.ts'
import type { Destination } from '../destinations/destination.ts'

/** A request for a customer's approval, as it was stored. */
export type AskedApproval = Selectable<Database['approval']>

/** Anyone with the code can answer. It cannot be guessed, and only its hash is stored. */
const CODE_BYTES = 16
const codePattern = new RegExp(APPROVAL_CODE_PATTERN)

const hashOfCode = (code: string): string => hash('sha256', code)

/** Stores a request for approval. The code is returned only here. */
export async function addApproval(
  store: Store,
  asked: { destination: Destination; category: string; agent: string; listing: Approval['listing'] },
  now: number,
): Promise<{ code: string; approval: AskedApproval }> {
  const code = randomBytes(CODE_BYTES).toString('base64url')
  const approval: AskedApproval = {
    codeHash: hashOfCode(code),
    destination: asked.destination.url,
    destinationKey: asked.destination.key,
    category: asked.category,
    agent: asked.agent,
    preview: asked.listing ? JSON.stringify(asked.listing) : null,
    state: 'waiting',
    createdAt: now,
    expiresAt: now + APPROVAL_LIFETIME_MS,
    answeredAt: null,
    idempotencyKey: null,
  }
  await store.transact(trx => trx.insertInto('approval').values(approval).execute())
  return { code, approval }
}

/** Returns the request with a code, or undefined. */
export async function findApproval(store: Pick<Store, 'db'>, code: string): Promise<AskedApproval | undefined> {
  if (!codePattern.test(code)) return undefined
  return store.db.selectFrom('approval').selectAll().where('codeHash', '=', hashOfCode(code)).executeTakeFirst()
}

/** Returns what a request has come to. An answer in time outlasts it, but an approval must be used in time. */
export function statusOfApproval(asked: AskedApproval, now: number): ApprovalStatus {
  if (asked.idempotencyKey !== null) return 'used'
  if (asked.state === 'declined') return 'declined'
  return asked.expiresAt <= now ? 'expired' : asked.state
}

/** Returns what the listing would show, as it was read when the request was made. */
export const previewOf = ({ preview }: AskedApproval): Approval['listing'] =>
  preview === null ? undefined : JSON.parse(preview)

/**
 * Stores the customer's answer, unless it comes too late. An approval can be taken back until a submission uses it. A
 * request that was declined stays declined.
 */
export async function answerApproval(
  store: Store,
  { codeHash }: AskedApproval,
  answer: 'approved' | 'declined',
  now: number,
): Promise<void> {
  await store.transact(trx =>
    trx
      .updateTable('approval')
      .set({ state: answer, answeredAt: now })
      .where('codeHash', '=', codeHash)
      .where('state', 'in', answer === 'approved' ? ['waiting'] : ['waiting', 'approved'])
      .where('idempotencyKey', 'is', null)
      .where('expiresAt', '>', now)
      .execute(),
  )
}

interface Use {
  destination: Destination
  category: string
  idempotencyKey: string
}

/**
 * Binds an approval to one submission. That submission may use it again, even after it has expired: a daily limit may
 * have delayed it.
 *
 * @throws Problem invalid_approval_code, which says why
 */
export async function useApproval(store: Store, code: string, wanted: Use, now: number): Promise<void> {
  const isUsed = await store.transact(trx => bind(trx, code, wanted, now))
  if (isUsed) return
  const asked = await findApproval(store, code)
  throw new Problem('invalid_approval_code', { field: 'approval.approvalCode', ...whyNot(asked, wanted, now) })
}

async function bind(trx: Trx, code: string, { destination, category, idempotencyKey }: Use, now: number) {
  const { numUpdatedRows } = await trx
    .updateTable('approval')
    .set({ idempotencyKey })
    .where('codeHash', '=', hashOfCode(code))
    .where('state', '=', 'approved')
    .where('destinationKey', '=', destination.key)
    .where('category', '=', category)
    .where(sql<boolean>`("idempotencyKey" = ${idempotencyKey} or "idempotencyKey" is null and "expiresAt" > ${now})`)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Says what is wrong with an approval. An answer that may still come is waited for instead of asking again. */
function whyNot(asked: AskedApproval | undefined, wanted: Use, now: number): { detail?: string; message?: string } {
  if (!asked) return { detail: 'There is no approval with this code.' }
  if (asked.destinationKey !== wanted.destination.key || asked.category !== wanted.category) {
    return { detail: 'The approval is for another destination or category.' }
  }
  const status = statusOfApproval(asked, now)
  if (status === 'waiting') return { message: NO_ANSWER }
  if (status === 'declined') return { message: DECLINED }
  if (status === 'used') return { detail: 'Another submission has used this approval.' }
  return { detail: 'The approval has expired.' }
}

const NO_ANSWER =
  'The customer has not answered yet. Wait with GET /api/v1/agent/approvals/{code}, and send the same request again once the status is approved.'
const DECLINED =
  'The customer declined. Do not publish this. Ask again with POST /api/v1/agent/approvals only if the customer wants you to.'

/** Returns which of these requests have an answer. One query, however many wait for them. */
export async function answeredOf({ db }: Pick<Store, 'db'>, codeHashes: readonly string[]): Promise<Set<string>> {
  const rows = await db
    .selectFrom('approval')
    .select('codeHash')
    .where('codeHash', 'in', codeHashes)
    .where('state', '<>', 'waiting')
    .execute()
  return new Set(rows.map(({ codeHash }) => codeHash))
}
