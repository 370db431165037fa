import { sql } from 'kysely'
import type { Db, Store, Trx } from '../../../platform/db/store.ts'
import type { ConsoleRole } from '../../../platform/db/tables/operator.ts'
import { plainText } from '../../../platform/lib/text.ts'
import { daysMs } from '../../../platform/lib/time.ts'
import { operatorOf } from '../../decisions/record.ts'
import { skeletonOf } from '../../review/reviewers/look-alikes.ts'
import { NAMELESS } from '../moderate.ts'
import { EntryRefused, hashOf, isToken, newToken, takeLink } from './sessions.ts'

export const ROLES: readonly ConsoleRole[] = ['admin', 'moderator']

/** Lifetime of an invitation. Unlike a sign-in link, an invitation is sent to another person. */
export const INVITATION_DAYS = 3

/** How many invitations admins can have open. */
const INVITATIONS_MAX = 20

export const INVITE_PATH = '/console/invite'

/** Why a change of the console's users was refused, as a sentence without its full stop. */
export class UserRefused extends Error {}

/**
 * Returns the canonical spelling of an operator's name; undefined if the text is not a name. Another spelling must not
 * make another operator, because operators must not decide appeals against their own decisions.
 */
export function nameFrom(given: unknown): string | undefined {
  const name = plainText(String(given), 40)
  return /^[\p{L}\p{N}][\p{L}\p{M}\p{N} .'’_-]*$/u.test(name) ? name : undefined
}

/** A console user, or an open invitation. */
export interface ConsoleUser {
  name: string
  role: ConsoleRole
  /** The admin who invited the user in the console; null if the invitation was made on the server. */
  invitedBy: string | null
  passkeys: number
  sessions: number
  lastSignIn: number | null
  /** When the open invitation ends; null if there is none. */
  invitedUntil: number | null
}

/**
 * Creates an invitation's token. An earlier invitation of that name ends.
 *
 * @param by the admin who invites; null on the server, where users can also be invited to come back
 * @param role by default that of the user, or moderator
 * @throws UserRefused
 */
export function inviteUser(
  store: Store,
  { name, role }: { name: string; role: ConsoleRole | undefined },
  by: string | null,
  now: number,
): Promise<{ token: string; role: ConsoleRole; endsAt: number }> {
  return store.transact(async trx => {
    if (by !== null) await requireAdmin(trx, by)
    const users = await listUsers(trx, now)
    const acted = await trx
      .selectFrom('decision')
      .select('actor')
      .distinct()
      .where('actor', '<>', 'automatic')
      .execute()
    const names = [...RESERVED, ...acted.flatMap(({ actor }) => operatorOf(actor) ?? [])]
    const others = [...names, ...users.map(each => each.name)].filter(each => each !== name)
    const like = others.find(each => shapeOf(each) === shapeOf(name))
    if (like) throw new UserRefused(`${name} looks like ${like}, who is on record: choose another name`)
    const user = users.find(each => each.name === name && each.invitedUntil === null)
    if (by !== null && users.filter(each => each.invitedUntil !== null).length >= INVITATIONS_MAX) {
      throw new UserRefused(`${INVITATIONS_MAX} invitations are open: withdraw some first`)
    }
    // Otherwise, an admin could act under another operator's name.
    if (by !== null && (user || names.includes(name))) {
      throw new UserRefused(`${name} is on record: only console-invite on the server invites that name again`)
    }
    await trx.deleteFrom('console_link').where('name', '=', name).where('role', 'is not', null).execute()
    const [token, given, endsAt] = [newToken(), role ?? user?.role ?? 'moderator', now + daysMs(INVITATION_DAYS)]
    await trx
      .insertInto('console_link')
      .values({ hash: hashOf(token), name, endsAt, role: given, invitedBy: by })
      .execute()
    return { token, role: given, endsAt }
  })
}

/** Names of decisions without a user, as stored and as the console shows them. */
const RESERVED = [NAMELESS, 'owner', 'reporter', 'automatic', 'the owner', 'a visitor', 'the service']

/** Returns the same text for names that people would confuse. Letters that look like a comma or a colon are dropped. */
const shapeOf = (name: string) => skeletonOf(name.normalize('NFKC')).replaceAll(/[^\p{L}\p{N}]/gu, '')

/** Returns an invitation that can be accepted, without using it up. */
export async function findInvitation(db: Db, token: unknown, now: number) {
  if (!isToken(token)) return undefined
  return db
    .selectFrom('console_link')
    .select(['name', 'role'])
    .where('hash', '=', hashOf(token))
    .where('role', 'is not', null)
    .where('endsAt', '>', now)
    .executeTakeFirst()
}

/** Uses up an invitation. @returns the name of its user @throws EntryRefused if it has ended, or the name is taken */
export async function acceptInvitation(trx: Trx, token: string, now: number): Promise<string> {
  const { name, role, invitedBy } = await takeLink(trx, token, 'invitation', now)
  const user = { role: role ?? 'moderator', linkedAt: now }
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto('console_operator')
    .values({ ...user, name, invitedBy })
    .onConflict(conflict =>
      invitedBy === null ? conflict.column('name').doUpdateSet(user) : conflict.column('name').doNothing(),
    )
    .executeTakeFirst()
  if (numInsertedOrUpdatedRows === 0n) throw new EntryRefused('invitation')
  return name
}

/** Returns all console users and open invitations, by name. */
export async function listUsers(db: Db, now: number): Promise<ConsoleUser[]> {
  const { rows } = await sql<ConsoleUser>`
    select name, role, "invitedBy", null as "invitedUntil",
      (select count(*) from console_passkey as passkey where passkey.name = operator.name) as passkeys,
      (select count(*) from console_session as session
        where session.name = operator.name and session."endsAt" > ${now}) as sessions,
      (select max("usedAt") from console_passkey as passkey where passkey.name = operator.name) as "lastSignIn"
    from console_operator as operator
    union all
    select name, role, "invitedBy", "endsAt", 0, 0, null from console_link where role is not null and "endsAt" > ${now}
    order by name`.execute(db)
  return rows
}

/** What `changeUser` ended: sessions, and links that were not used. */
export interface Ended {
  sessions: number
  links: number
}

/**
 * Changes a user's role, ends the user's sessions and links, or removes the user with all passkeys. Admins can't change
 * themselves, so at least one stays.
 *
 * @param by null on the server, which may change everyone
 * @returns undefined if there is no such user
 * @throws UserRefused
 */
export function changeUser(
  store: Store,
  name: string,
  to: ConsoleRole | 'ended' | 'removed',
  by: string | null,
  now: number,
): Promise<Ended | undefined> {
  return store.transact(async trx => {
    if (by !== null) await requireAdmin(trx, by)
    if (by === name) throw new UserRefused('another admin must do this, so that one always stays')
    const isKnown = (await listUsers(trx, now)).some(each => each.name === name)
    if (to === 'ended' || to === 'removed') {
      const ended = await end(trx, name, now, to)
      return isKnown || ended.links > 0 ? ended : undefined
    }
    // First, because an invitation that is accepted at the same time makes a user with the role that it had.
    await trx
      .updateTable('console_link')
      .set({ role: to })
      .where('name', '=', name)
      .where('role', 'is not', null)
      .execute()
    await trx.updateTable('console_operator').set({ role: to }).where('name', '=', name).execute()
    if (to !== 'admin') await endInvitationsBy(trx, name)
    return isKnown ? { sessions: 0, links: 0 } : undefined
  })
}

/**
 * Ends all sessions and unused links of a user, invitations included. A user without a passkey can't sign in again, so
 * this also removes that user. Links that are made later work.
 */
async function end(trx: Trx, name: string, now: number, to: 'ended' | 'removed'): Promise<Ended> {
  const of = async (table: 'console_session' | 'console_link') => {
    const ended = await trx.deleteFrom(table).where('name', '=', name).returning('endsAt').execute()
    return ended.filter(({ endsAt }) => endsAt > now).length
  }
  // Links first, then the user, then sessions: a link that is used at the same time leaves no user behind.
  const links = await of('console_link')
  const withPasskey = trx.selectFrom('console_passkey').select('name')
  await trx
    .deleteFrom('console_operator')
    .where('name', '=', name)
    .$if(to === 'ended', query => query.where('name', 'not in', withPasskey))
    .execute()
  await endInvitationsBy(trx, name)
  return { links, sessions: await of('console_session') }
}

/**
 * Ends the invitations that an admin made, so that a former admin can't return by one. Call it after the user has
 * changed: that waits for an invitation that is made at the same time.
 */
const endInvitationsBy = (trx: Trx, name: string) =>
  trx.deleteFrom('console_link').where('invitedBy', '=', name).execute()

/** Locks all admins, so that two can't remove or demote each other at the same time. @throws UserRefused */
async function requireAdmin(trx: Trx, name: string): Promise<void> {
  const admins = await trx
    .selectFrom('console_operator')
    .select('name')
    .where('role', '=', 'admin')
    .orderBy('name')
    .$if(trx.engine === 'postgres', query => query.forUpdate())
    .execute()
  if (!admins.some(each => each.name === name)) throw new UserRefused('only an admin can do this')
}
