import { hash, randomBytes } from 'node:crypto'
import type { Db, Store, Trx } from '../../../platform/db/store.ts'
import type { Database } from '../../../platform/db/tables/index.ts'
import type { ConsoleRole } from '../../../platform/db/tables/operator.ts'
import { HOUR_MS, TEN_MINUTES_MS } from '../../../platform/lib/time.ts'

/** Lifetime of a link until it is used, and of the session that it opens. */
export const LINK_LIFETIME_MS = TEN_MINUTES_MS
export const SESSION_LIFETIME_MS = 12 * HOUR_MS

/** Path that opens a link. */
export const ENTER_PATH = '/console/enter'

/** A session, under whose name every action is recorded. */
export type ConsoleSession = Database['console_session'] & {
  /** Read again for each request, so a changed role applies at once. */
  role: ConsoleRole
}

/** Why a link, an invitation or a passkey was not accepted. `none`: there is no session. */
export type Refusal = 'none' | 'link' | 'invitation' | 'challenge' | 'failed' | 'unknown' | 'copied' | 'known'

/** Its message is the reason. */
export class EntryRefused extends Error {
  declare message: Refusal
}

const TOKEN_BYTES = 32

/**
 * Tokens are found by their hash. A caller can't choose any digit of it, so the time of the search reveals nothing
 * about existing tokens.
 */
export const hashOf = (token: string): string => hash('sha256', token)

export const isToken = (text: unknown): text is string => typeof text === 'string' && /^[\w-]{43}$/.test(text)

export const newToken = () => randomBytes(TOKEN_BYTES).toString('base64url')

/**
 * Creates a link's token, with which an operator can sign in to the console once. Stores only its hash and the
 * operator's name. A new operator becomes an admin.
 */
export async function makeConsoleLink(store: Store, name: string, now: number): Promise<string> {
  const token = newToken()
  await store.transact(async trx => {
    await trx
      .insertInto('console_link')
      .values({ hash: hashOf(token), name, endsAt: now + LINK_LIFETIME_MS })
      .execute()
    await trx
      .insertInto('console_operator')
      .values({ name, linkedAt: now })
      .onConflict(conflict => conflict.column('name').doUpdateSet({ linkedAt: now }))
      .execute()
  })
  return token
}

/** Uses up a link, and opens a session. @returns the token for the cookie @throws EntryRefused */
export const enterConsole = (store: Store, token: unknown, now: number): Promise<string> =>
  store.transact(async trx => {
    const { name } = await takeLink(trx, token, 'link', now)
    return openSession(trx, name, now)
  })

/**
 * Uses up a link or an invitation. If two requests use it at once, one gets it.
 *
 * @throws EntryRefused if it does not exist, was used, or has ended
 */
export async function takeLink(trx: Trx, token: unknown, kind: 'link' | 'invitation', now: number) {
  if (!isToken(token)) throw new EntryRefused(kind)
  const link = await trx
    .deleteFrom('console_link')
    .where('hash', '=', hashOf(token))
    .where('endsAt', '>', now)
    // An invitation only registers a passkey.
    .where('role', kind === 'link' ? 'is' : 'is not', null)
    .returning(['name', 'role', 'invitedBy'])
    .executeTakeFirst()
  if (!link) throw new EntryRefused(kind)
  return link
}

/** Opens a session of a console user. @returns the token for the cookie: always a new one, so none can be planted */
export async function openSession(trx: Trx, name: string, now: number): Promise<string> {
  const session = newToken()
  await trx
    .insertInto('console_session')
    .values({ hash: hashOf(session), name, endsAt: now + SESSION_LIFETIME_MS, lastAct: null })
    .execute()
  return session
}

/** Returns the session of a cookie; undefined if there is none, it has ended, or its user was removed. */
export async function findSession(db: Db, token: unknown, now: number): Promise<ConsoleSession | undefined> {
  if (!isToken(token)) return undefined
  return db
    .selectFrom('console_session as session')
    .innerJoin('console_operator as operator', 'operator.name', 'session.name')
    .select(['session.hash', 'session.name', 'session.endsAt', 'session.lastAct', 'operator.role'])
    .where('session.hash', '=', hashOf(token))
    .where('session.endsAt', '>', now)
    .executeTakeFirst()
}

/**
 * Returns whether the user of a session signed in just now. Without that, a stolen session can't give its thief another
 * way in. Clocks of two instances differ, and a clock that is set back makes no session recent again.
 */
export const isRecent = ({ endsAt }: ConsoleSession, now: number): boolean =>
  Math.abs(now - (endsAt - SESSION_LIFETIME_MS)) < TEN_MINUTES_MS

export async function endSession(store: Store, { hash }: ConsoleSession): Promise<void> {
  await store.transact(trx => trx.deleteFrom('console_session').where('hash', '=', hash).execute())
}
