import type { Selectable } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { statementOfRows } from '../../../platform/db/statement.ts'
import type { Db, Runner, Store } from '../../../platform/db/store.ts'
import type { Database } from '../../../platform/db/tables/index.ts'
import type { GroundId } from '../../decisions/grounds.ts'
import { operatorNamed, recordDecision } from '../../decisions/record.ts'
import { withoutWww } from '../../destinations/hostname.ts'
import { PASS, reject } from '../verdict.ts'
import { BLOCKED_HOSTS } from './admitted.ts'
import type { Reviewer } from './reviewers.ts'

export type BlockedHost = Selectable<Database['blocked_host']>

/** A host, and whether everything below it is meant, too. */
export interface HostRange {
  /** As `readHost` gives it. */
  host: string
  subdomains: boolean
}

/**
 * Refuses the hosts that operators have blocked. It asks the database each time, so a block holds at once in every process;
 * while the database is away, nothing can be listed anyway.
 */
export const blockedHosts = (runner: Runner): Reviewer => ({
  name: BLOCKED_HOSTS,
  version: '1',
  async review(page, { hostname }) {
    for (const host of new Set([hostname, new URL(page.url).hostname])) {
      const block = await blockOf(runner, host)
      if (block) return reject('blocklisted', undefined, { host, list: 'operator', listed: block.host })
    }
    return PASS
  },
})

/** The block that a host falls under, the nearest first. */
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

/** What came of blocking: the block in force. It is an older one if nothing changed. */
export interface Blocked {
  block: BlockedHost
  changed: boolean
}

/** Blocks a host, and records that. What is listed of it stays as it is. Of two at once, one blocks it. */
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
 * @param decisionId of the block; left out, whichever is in force
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

/** The hosts that are blocked, newest first. @param ended whether those that were once blocked are wanted, too */
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
