import { hash, randomBytes } from 'node:crypto'
import type { Db, Store, Trx } from '../../../platform/db/store.ts'
import type { ConsoleRole } from '../../../platform/db/tables/operator.ts'

/** Lifetime of a link until it is used, and of the session that it opens. */
export const LINK_LIFETIME_MS = 10 * 60 * 1000
export const SESSION_LIFETIME_MS = 12 * 60 * 60 * 1000

export const CONSOLE_COOKIE = 'placard_console'

/** An operator in the console. */
export interface ConsoleSession {
  /** Hash of the cookie's token. It identifies the session in the database. */
  hash: string
  /** Every action is recorded under it. */
  name: string
  /** Read again for each request, so a changed role applies at once. */
  role: ConsoleRole
  endsAt: number
  lastAct: string | null
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

/**
 * Uses up a link, and opens a session. If two requests use it at once, one opens a session.
 *
 * @returns the token for the cookie; undefined if the link does not exist or has expired
 */
export async function enterConsole(store: Store, token: unknown, now: number): Promise<string | undefined> {
  if (!isToken(token)) return undefined
  return store.transact(async trx => {
    const link = await trx
      .deleteFrom('console_link')
      .where('hash', '=', hashOf(token))
      .where('endsAt', '>', now)
      // An invitation only registers a passkey.
      .where('role', 'is', null)
      .returning('name')
      .executeTakeFirst()
    return link && openSession(trx, link.name, now)
  })
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

export async function endSession(store: Store, { hash }: ConsoleSession): Promise<void> {
  await store.transact(trx => trx.deleteFrom('console_session').where('hash', '=', hash).execute())
}

/**
 * Ends all sessions and unused links of an operator, invitations included. A new link works again. An operator without a
 * passkey can't return, and so no longer counts as one. @returns how many sessions and links there were
 */
export const endAllOf = (store: Store, name: string, now: number) => store.transact(trx => endIn(trx, name, now))

export async function endIn(trx: Trx, name: string, now: number): Promise<{ sessions: number; links: number }> {
  const of = async (table: 'console_session' | 'console_link') => {
    const ended = await trx.deleteFrom(table).where('name', '=', name).returning('endsAt').execute()
    return ended.filter(({ endsAt }) => endsAt > now).length
  }
  // Sessions last: a link that is used at the same time opens none that stays.
  const links = await of('console_link')
  const withPasskey = trx.selectFrom('console_passkey').select('name')
  await trx.deleteFrom('console_operator').where('name', '=', name).where('name', 'not in', withPasskey).execute()
  return { sessions: await of('console_session'), links }
}

/** Path that opens a link. */
export const ENTER_PATH = '/console/enter'
