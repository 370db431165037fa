import { type Selectable, sql } from 'kysely'
import type { Config } from '../../../platform/config/config.ts'
import { statement } from '../../../platform/db/statement.ts'
import type { Db, Runner, Store, Trx } from '../../../platform/db/store.ts'
import type { Database } from '../../../platform/db/tables/index.ts'
import { COMMAND } from '../../../platform/lib/package.ts'
import type { Secret } from '../../../platform/lib/secret.ts'
import { checkValueOf, keyFile, makeKeyFile, readKeyFile, type ServiceKey, ServiceKeys } from './service-keys.ts'

export type KeySettings = Pick<Config, 'serviceKeys' | 'dataDir'>

/**
 * Returns the service's keys, from `SERVICE_KEY` or the key file, which is created for an unused database. The database
 * records each key that signs for it, so that no process serves it without that key. If instances start together on a
 * new database with different keys, the first one decides.
 *
 * @throws Error in one line if the keys do not belong to this database
 */
export function openServiceKeys(store: Store, settings: KeySettings, now: number): Promise<ServiceKeys> {
  return store.transact(async trx => {
    if (store.engine === 'postgres') await sql`select pg_advisory_xact_lock(${KEYS_LOCK})`.execute(trx)
    const recorded = await recordedKeys(trx)
    const given = configuredKeys(settings) ?? (await makeFirstKey(trx, settings, recorded))
    refuseWithout(recorded, settings, given)
    refuseOlderFirst(recorded, settings, given)
    const keys = given.map(secret => ({ secret, checkValue: checkValueOf(secret) }))
    for (const { checkValue } of notRecorded(recorded, keys)) {
      const key = { checkValue, firstUsedAt: now, lostAt: null }
      recorded.push(await trx.insertInto('service_key').values(key).returningAll().executeTakeFirstOrThrow())
    }
    await unmarkLost(trx, keys)
    return new ServiceKeys(keys.map(key => ({ ...key, replacedAt: replacedAt(recorded, key.checkValue) })))
  })
}

/**
 * Returns the keys for an operator's command, which signs nothing and records no key.
 *
 * @returns the available keys, newest first
 * @throws Error in one line if the keys do not belong to this database
 */
export async function requireServiceKeys(db: Db, settings: KeySettings): Promise<Secret[]> {
  const recorded = await recordedKeys(db)
  const given = configuredKeys(settings)
  if (!given && (await isUsed(db, recorded))) throw keyFileGone(settings)
  refuseWithout(recorded, settings, given ?? [])
  return given ?? []
}

/**
 * Returns the key for a command that derives something. Only a key that the service has signed with is known to all its
 * processes.
 *
 * @returns the key that signs now
 * @throws Error in one line if the keys do not belong to this database
 */
export async function requireSigningKey(db: Db, settings: KeySettings): Promise<SigningKey> {
  const given = (await requireServiceKeys(db, settings)).map(secret => ({
    secret,
    checkValue: checkValueOf(secret),
  }))
  const recorded = (await recordedKeys(db)).toReversed()
  for (const { checkValue } of recorded) {
    const key = given.find(each => each.checkValue === checkValue)
    if (key) return key
  }
  throw new Error('this database was never served, so it has no key yet: start the service first')
}

type SigningKey = Pick<ServiceKey, 'secret' | 'checkValue'>

/**
 * Checks the keys for an imported or restored site. Its keys may be added later, but a site must not get other keys.
 *
 * @param checkValues of the keys that it needs
 * @throws Error in one line if there are keys, and one it needs is not among them
 */
export function refuseWithoutKeys(checkValues: readonly string[], settings: KeySettings): void {
  const given = configuredKeys(settings)?.map(checkValueOf)
  if (!given || checkValues.every(value => given.includes(value))) return
  throw new Error(`${nameOf(settings)} lacks a key that this site needs: add all of its keys there`)
}

/** Returns the keys that the database knows: those that have signed for it. */
export async function knownKeys(db: Db, keys: readonly Secret[]): Promise<Secret[]> {
  const recorded = await recordedKeys(db)
  return keys.filter(key => recorded.some(({ checkValue }) => checkValue === checkValueOf(key)))
}

/** Returns whether another key replaced this one, also if that other one is lost. It can't come first any more. */
export const isReplaced = async (db: Db, key: Secret): Promise<boolean> =>
  replacedAt(await recordedKeys(db), checkValueOf(key)) !== undefined

/**
 * Checks that all keys are available that are not lost. Otherwise, an instance that was not restarted since another one
 * began to use a new key would treat that key as lost.
 *
 * @throws Error in one line
 */
export async function requireAllKeys(db: Db, { all }: ServiceKeys): Promise<void> {
  const isHere = (row: RecordedKey) =>
    row.lostAt !== null || all.some(({ checkValue }) => checkValue === row.checkValue)
  if ((await recordedKeys(db)).every(isHere)) return
  throw new Error(
    'another instance uses a service key that this one lacks: restart this one with all keys, the newest first',
  )
}

/**
 * Checks that the key that signs was not given up as lost since this process started. After a restart without it,
 * nothing would recover what it signs now.
 *
 * @throws Error in one line
 */
export async function refuseLostKey(runner: Runner, { newest: { checkValue } }: ServiceKeys): Promise<void> {
  if ((await lostKey(runner, { checkValue })).length === 0) return
  throw new Error('the service key of this instance was given up as lost: restart it with the new one')
}

const lostKey = statement({ checkValue: 'text' }, ({ checkValue }, db) =>
  db.selectFrom('service_key').select('id').where('checkValue', '=', checkValue).where('lostAt', 'is not', null),
)

/**
 * Marks recorded keys that are not available as lost.
 *
 * @returns the available ones, newest first
 * @throws Error in one line if none is lost
 */
export async function giveUpLostKeys(db: Db, settings: KeySettings, now: number): Promise<Secret[]> {
  const given = configuredKeys(settings) ?? []
  const { numUpdatedRows } = await db
    .updateTable('service_key')
    .set({ lostAt: now })
    .where('lostAt', 'is', null)
    .$if(given.length > 0, update => update.where('checkValue', 'not in', given.map(checkValueOf)))
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n && given.length > 0) {
    throw new Error(`no service key is missing, so none is lost. To change the key, run ${COMMAND} change-key`)
  }
  return given
}

/**
 * Unmarks keys that were marked as lost and are configured again. Otherwise, an instance without one of them would turn
 * off the webhooks and delete the mail addresses that this instance can still use.
 */
const unmarkLost = (trx: Trx, found: readonly { checkValue: string }[]) =>
  trx
    .updateTable('service_key')
    .set({ lostAt: null })
    .where('lostAt', 'is not', null)
    .where(
      'checkValue',
      'in',
      found.map(({ checkValue }) => checkValue),
    )
    .execute()

/** Any number that is the same on every instance. It names PostgreSQL's lock for recording keys. */
const KEYS_LOCK = 7_526_312

type RecordedKey = Selectable<Database['service_key']>

/** Oldest first. */
const recordedKeys = (db: Db): Promise<RecordedKey[]> =>
  db.selectFrom('service_key').selectAll().orderBy('id').execute()

const configuredKeys = (settings: KeySettings) => settings.serviceKeys ?? readKeyFile(keyFile(settings))

/** Creates a key only for an unused database: next to data of an old key, a new one would make dead private links. */
async function makeFirstKey(db: Db, settings: KeySettings, recorded: RecordedKey[]): Promise<Secret[]> {
  if (await isUsed(db, recorded)) throw keyFileGone(settings)
  return makeKeyFile(keyFile(settings))
}

const isUsed = async (db: Db, recorded: RecordedKey[]) =>
  recorded.length > 0 || (await db.selectFrom('attempt').select('day').limit(1).execute()).length > 0

/**
 * Returns the newest key, if new. In a database from before keys were recorded, returns all keys, because any may have
 * been used.
 */
function notRecorded<Key extends { checkValue: string }>(recorded: RecordedKey[], keys: Key[]): Key[] {
  if (recorded.length === 0) return keys.toReversed()
  return keys.slice(0, 1).filter(key => !recorded.some(row => row.checkValue === key.checkValue))
}

/** Returns when the next key replaced it; undefined for the latest key, and for one that never signed. */
function replacedAt(recorded: RecordedKey[], checkValue: string): number | undefined {
  const index = recorded.findIndex(row => row.checkValue === checkValue)
  return index === -1 ? undefined : recorded[index + 1]?.firstUsedAt
}

const nameOf = (settings: KeySettings) => (settings.serviceKeys ? 'SERVICE_KEY' : keyFile(settings))

const keyFileGone = (settings: KeySettings) =>
  new Error(
    `${keyFile(settings)} is gone, and this database needs it: restore it from a backup. If it is lost permanently, make a new one with ${COMMAND} change-key --lost`,
  )

function refuseWithout(recorded: RecordedKey[], settings: KeySettings, given: Secret[]): void {
  const values = given.map(checkValueOf)
  if (recorded.every(row => row.lostAt !== null || values.includes(row.checkValue))) return
  throw new Error(
    `${nameOf(settings)} lacks a key that this database needs: put it back, from a backup if necessary. To change the key, use ${COMMAND} change-key, which keeps the older ones. If a key is lost permanently, run ${COMMAND} change-key --lost`,
  )
}

function refuseOlderFirst(recorded: RecordedKey[], settings: KeySettings, [newest]: Secret[]): void {
  if (!newest || replacedAt(recorded, checkValueOf(newest)) === undefined) return
  throw new Error(
    `${nameOf(settings)} begins with a key that was replaced: put the newest one first, or add one with ${COMMAND} change-key`,
  )
}
