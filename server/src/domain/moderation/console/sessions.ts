import { hash, randomBytes } from 'node:crypto'
import type { Db, Store } from '../../../platform/db/store.ts'

/** How long a link waits to be used, and how long the session lasts that it opens. */
export const LINK_LIFETIME_MS = 10 * 60 * 1000
export const SESSION_LIFETIME_MS = 12 * 60 * 60 * 1000

export const CONSOLE_COOKIE = 'placard_console'

/** An operator in the console. */
export interface ConsoleSession {
  /** Of the cookie's token: names the session in the database. */
  hash: string
  /** Each act stands under it. */
  name: string
  endsAt: number
  lastAct: string | null
}

const TOKEN_BYTES = 32

/**
 * Tokens are found by their hash, of which nobody can choose a single digit: so how long that takes says nothing about
 * the tokens that there are.
 */
const hashOf = (token: string): string => hash('sha256', token)

const isToken = (text: unknown): text is string => typeof text === 'string' && /^[\w-]{43}$/.test(text)

const newToken = () => randomBytes(TOKEN_BYTES).toString('base64url')

/** Makes a link's token, by which an operator enters the console once. Only its hash is kept, and the operator's name. */
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
 * Uses a link up, and opens a session. Of two at once, one opens it.
 *
 * @returns the token for the cookie; undefined if there is no such link, or no longer
 */
export async function enterConsole(store: Store, token: unknown, now: number): Promise<string | undefined> {
  if (!isToken(token)) return undefined
  return store.transact(async trx => {
    const link = await trx
      .deleteFrom('console_link')
      .where('hash', '=', hashOf(token))
      .where('endsAt', '>', now)
      .returning('name')
      .executeTakeFirst()
    if (!link) return undefined
    const session = newToken()
    await trx
      .insertInto('console_session')
      .values({ hash: hashOf(session), name: link.name, endsAt: now + SESSION_LIFETIME_MS, lastAct: null })
      .execute()
    return session
  })
}

/** The session that a cookie names; undefined if there is none, or it is over. */
export async function findSession(db: Db, token: unknown, now: number): Promise<ConsoleSession | undefined> {
  if (!isToken(token)) return undefined
  return db
    .selectFrom('console_session')
    .selectAll()
    .where('hash', '=', hashOf(token))
    .where('endsAt', '>', now)
    .executeTakeFirst()
}

export async function endSession(store: Store, { hash }: ConsoleSession): Promise<void> {
  await store.transact(trx => trx.deleteFrom('console_session').where('hash', '=', hash).execute())
}

/** Ends all sessions of an operator, and the links not used yet, until there is another link. @returns how many sessions and links there were */
export function endAllOf(store: Store, name: string, now: number): Promise<{ sessions: number; links: number }> {
  return store.transact(async trx => {
    const of = async (table: 'console_session' | 'console_link') => {
      const ended = await trx.deleteFrom(table).where('name', '=', name).returning('endsAt').execute()
      return ended.filter(({ endsAt }) => endsAt > now).length
    }
    await trx.deleteFrom('console_operator').where('name', '=', name).execute()
    return { sessions: await of('console_session'), links: await of('console_link') }
  })
}

/** Where a link is opened. */
export const ENTER_PATH = '/console/enter'
