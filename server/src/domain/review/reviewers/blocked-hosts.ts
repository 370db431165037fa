import type { Selectable } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { statementOfRows } from '../../../platform/db/statement.ts'
import type { Db, Runner, Store } from '../../../platform/db/store.ts'
import type { Database } from '../../../platform/db/tables/index.ts'
import type { GroundId } from '../../decisions/grounds.ts'
import { operatorNamed, recordDecision } from '../../decisions/record.ts'
import { withoutWww } from '../../destinations/hostname.ts'
import { hostsOf } from '../page.ts'
import { PASS, reject } from '../verdict.ts'
import { BLOCKED_HOSTS, type Judged } from './admitted.ts'
import type { Reviewer } from './reviewers.ts'

export type BlockedHost = Selectable<Database['blocked_host']>

/** A host, and whether it includes its subdomains. */
export interface HostRange {
  /** As `readHost` returns it. */
  host: string
  subdomains: boolean
}

/** Returns the range of a block as text. */
export const rangeText = ({ host, subdomains }: HostRange | BlockedHost): string =>
  subdomains ? `${host} with its subdomains` : host

/**
 * Refuses the hosts that operators have blocked. It queries the database each time, so a block is effective at once in
 * every process. While the database is unreachable, nothing can be listed anyway.
 */
export const blockedHosts = (runner: Runner): Reviewer => ({
  name: BLOCKED_HOSTS,
  version: VERSION,
  async review(page, destination) {
    for (const host of hostsOf(page, destination)) {
      const block = await blockOf(runner, host)
      if (!block) continue
      const { reason, evidence } = refusalBy(block, host)
      return reject(reason, undefined, evidence)
    }
    return PASS
  },
})

const VERSION = '1'

/** Returns the refusal of a host that a block covers. */
export const refusalBy = (block: BlockedHost, host: string): Judged => ({
  reviewer: BLOCKED_HOSTS,
  version: VERSION,
  reason: 'blocklisted',
  evidence: { host, list: 'operator', listed: block.host },
})

/** Returns the block that covers a host, the nearest first. */
export async function blockOf(runner: Runner, hostname: string): Promise<BlockedHost | undefined> {
  const host = withoutWww(hostname)
  const labels = host.split('.')
  const hosts = labels.map((_, place) => ({ host: labels.slice(place).join('.') }))
  const blocks = await blocksOf(runner, hosts)
  return blocks
    .filter(block => block.host === host || block.subdomains === 1)
    .sort((one, other) => other.host.length - one.host.length)[0]
}

const blocksOf = statementOfRows({ host: 'text' }, (rows, db) =>
  db
    .selectFrom('blocked_host')
    .selectAll()
    .where('endedAt', 'is', null)
    .where(
      'host',
      'in',
      rows.map(({ host }) => host),
    ),
)

/** The block in force. If nothing changed, it is an older one. */
export interface Blocked {
  block: BlockedHost
  changed: boolean
}

/** Blocks a host, and records that. Its listings stay. If two processes block it at once, one of them does. */
export function blockHost(
  store: Store,
  { host, subdomains }: HostRange,
  reason: string,
  { name, ground = 'rules/content' }: { name: string; ground?: GroundId | undefined },
  now: number,
): Promise<Blocked> {
  return store.transact(async trx => {
    const decisionId = uuidv7()
    const added = await trx
      .insertInto('blocked_host')
      .values({
        host,
        subdomains: Number(subdomains),
        reason,
        blockedBy: name,
        blockedAt: now,
        decisionId,
        endedAt: null,
      })
      .onConflict(conflict => conflict.column('host').where('endedAt', 'is', null).doNothing())
      .returningAll()
      .executeTakeFirst()
    if (!added) return { block: await blockNamed(trx, host).executeTakeFirstOrThrow(), changed: false }
    await recordDecision(trx, {
      id: decisionId,
      kind: 'block',
      ground,
      reason: 'blocklisted',
      actor: operatorNamed(name),
      at: now,
      facts: { explanation: reason, host, subdomains },
    })
    return { block: added, changed: true }
  })
}

/**
 * Ends the block of a host, and records that.
 *
 * @param decisionId of the block; without it, the one in force
 * @returns undefined if none was in force
 */
export function unblockHost(
  store: Store,
  host: string,
  explanation: string,
  name: string,
  now: number,
  decisionId?: string,
): Promise<BlockedHost | undefined> {
  return store.transact(async trx => {
    const ended = await trx
      .updateTable('blocked_host')
      .set({ endedAt: now })
      .where('host', '=', host)
      .where('endedAt', 'is', null)
      .$if(decisionId !== undefined, query => query.where('decisionId', '=', decisionId ?? ''))
      .returningAll()
      .executeTakeFirst()
    if (!ended) return undefined
    await recordDecision(trx, {
      kind: 'unblock',
      about: ended.decisionId,
      ground: 'rules/content',
      reason: 'no_longer_blocked',
      facts: { explanation, host },
      actor: operatorNamed(name),
      at: now,
    })
    return ended
  })
}

/** Returns the blocked hosts, newest first. @param ended also those that were unblocked */
export const listBlocks = ({ db }: Store, count: number, ended = false): Promise<BlockedHost[]> =>
  db
    .selectFrom('blocked_host')
    .selectAll()
    .$if(!ended, query => query.where('endedAt', 'is', null))
    .orderBy('id', 'desc')
    .limit(count)
    .execute()

const blockNamed = (db: Db, host: string) =>
  db.selectFrom('blocked_host').selectAll().where('host', '=', host).where('endedAt', 'is', null)
