import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { StripeEvent } from '../../bench/payments.ts'
import type { Env } from '../../bench/programs.ts'
import { History } from './history.ts'
import { type Instances, type Outcome, startInstances } from './instances.ts'
import { underLoad } from './load.ts'
import { Money, STRIPE_ENV } from './money.ts'
import { type Cluster, type Node, startCluster, until } from './patroni.ts'

/** What docs/reliability.md promises after the promotion. */
const READY_MAX_MS = 5000
const CALM_MS = 1500
/** Ten failovers take minutes, in which clients would send more than can be checked. */
const PAUSE_MS = 400

/** How the leader is lost, and how it returns. */
const LOSSES = {
  kill: { lose: (node: Node) => node.kill(), bringBack: (node: Node) => node.start() },
  stop: { lose: async (node: Node) => node.stop(), bringBack: (node: Node) => node.start() },
  'switch over': { lose: switchOver, bringBack: async () => {} },
  'network cut': { lose: async (node: Node) => node.cut(), bringBack: async (node: Node) => node.connect() },
}
type Loss = keyof typeof LOSSES

const TEN: readonly Loss[] = [
  ...(['switch over', 'kill', 'stop', 'network cut', 'switch over'] as const),
  ...(['kill', 'stop', 'network cut', 'switch over', 'kill'] as const),
]

async function switchOver({ api, name }: Node): Promise<void> {
  const reply = await fetch(`${api}/switchover`, { method: 'POST', body: JSON.stringify({ leader: name }) })
  if (!reply.ok) throw new Error(`Patroni refused to switch over: ${await reply.text()}`)
}

/**
 * Ten failovers of a synchronous PostgreSQL under load: no acknowledged receipt or payment is lost, and every instance
 * publishes again soon after the promotion.
 */
export async function synchronous(folder: string): Promise<Outcome> {
  const cluster = await startCluster(folder, { isSynchronous: true })
  const instances = await startInstances(folder, 2, await cluster.database('placard'))
  try {
    const cause = async (history: History): Promise<Outcome> => {
      const readyMs: number[] = []
      console.log('| # | leader lost by | leader | promoted after | ready after the promotion |\n| - | - | - | - | - |')
      for (const [nth, loss] of TEN.entries()) {
        await cluster.untilWhole()
        await sleep(CALM_MS)
        const { from, to, promotedMs, ready } = await failOver(cluster, loss, { instances, history })
        readyMs.push(ready)
        const row = [nth + 1, loss, `${from.name} → ${to.name}`, seconds(promotedMs), seconds(ready)]
        console.log(`| ${row.join(' | ')} |`)
        await LOSSES[loss].bringBack(from)
      }
      const slowest = Math.max(...readyMs)
      return {
        figures: `${TEN.length} failovers, ready at most ${seconds(slowest)} after the promotion`,
        faults: slowest > READY_MAX_MS ? [`ready only ${seconds(slowest)} after the promotion`] : [],
      }
    }
    return await underLoad(instances, cause, { pauseMs: PAUSE_MS })
  } finally {
    await instances.stop()
    await cluster.stop()
  }
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`

/** Loses the leader, and waits until the other node leads and every instance publishes again. */
async function failOver(
  cluster: Cluster,
  loss: Loss,
  { instances, history }: { instances: Instances; history: History },
) {
  const from = await cluster.leader()
  if (!from) throw new Error('there is no leader')
  const to = cluster.otherThan(from)
  const lostAt = performance.now()
  // A switch-over is answered only after the promotion.
  const lost = LOSSES[loss].lose(from)
  lost.catch(() => {})
  await until(`${to.name} leads`, () => to.isPrimary())
  const promotedAt = performance.now()
  await Promise.all(
    instances.urls.map(url =>
      until(`${url} publishes`, async () => (await history.send(url, history.submission())) === 201),
    ),
  )
  const ready = performance.now() - promotedAt
  await lost
  return { from, to, promotedMs: promotedAt - lostAt, ready }
}

const [ROUNDS, BURST] = [2, 20]
/** Longer than a process waits before it looks for changes. */
const SEEN_MS = 2500

/**
 * What an asynchronous standby that lags can lose: receipts and payments that were acknowledged. The service warns, and
 * the payments come back from Stripe.
 */
export async function asynchronous(folder: string): Promise<Outcome> {
  const cluster = await startCluster(folder, { isSynchronous: false })
  const env = await cluster.database('placard')
  const instances = await startInstances(folder, 2, env)
  const [history, money] = [new History(), new Money()]
  const stripe = await startEventList(money)
  const [totals, faults] = [{ receipts: 0, payments: 0, missing: 0, again: 0 }, [] as string[]]
  try {
    const [url = ''] = instances.urls
    await instances.withStore(store => money.open(store))
    await history.send(url, history.submission())
    for (let round = 0; round < ROUNDS; round++) {
      await cluster.untilWhole()
      await sleep(CALM_MS)
      const leader = await cluster.leader()
      if (leader) leader.relays.replication.trouble = 'silence'
      const acknowledged = Array.from({ length: BURST }, () => history.submission())
      for (const each of acknowledged) {
        await history.send(url, each)
        await money.deliverNext(url)
      }
      await sleep(SEEN_MS)
      const { from } = await failOver(cluster, 'kill', { instances, history })
      const lost = await instances.withStore(store => money.missing(store))
      totals.payments += lost.length
      for (const each of acknowledged) {
        const [first] = each.answers
        if (first?.status !== 201) continue
        totals.receipts += 1
        if ((await history.send(url, each)) === 201) totals.again++
      }
      await sleep(SEEN_MS)
      const output = await reconcileFromStripe({ ...STRIPE_ENV, ...env, STRIPE_API_URL: stripe.url })
      console.log(`  round ${round + 1}: ${output.trim().replaceAll('\n', ' ')}`)
      totals.missing += (await instances.withStore(store => money.missing(store))).length
      from.relays.replication.trouble = 'none'
      await from.start()
    }
    const warnings = await instances.withStore(({ db }) => db.selectFrom('warning').select('kind').execute())
    const kinds = warnings.map(({ kind }) => kind)
    if (totals.again + totals.payments === 0) faults.push('nothing was lost, so this shows nothing')
    if (!kinds.includes('database_went_back')) faults.push('no process noticed that the database went back')
    if (totals.missing > 0) faults.push(`${totals.missing} payments did not come back from Stripe`)
    return {
      figures: `${ROUNDS} failovers to a standby that lagged: ${totals.again} of ${totals.receipts} receipts lost and published again by a repeat; ${totals.payments} events of payments lost, ${totals.missing} of them after reconcile --from-stripe; warnings: ${kinds.join(', ')}`,
      faults,
    }
  } finally {
    stripe.close()
    await instances.stop()
    await cluster.stop()
  }
}

/** Runs the operator's command in a process of its own. */
async function reconcileFromStripe(env: Env): Promise<string> {
  const args = ['server/bundled/placard.js', 'reconcile', '--from-stripe']
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    cwd: new URL('../..', import.meta.url),
    env: { PATH: process.env.PATH, ...env } as NodeJS.ProcessEnv,
  })
  return stdout
}

/** Lists, as Stripe's API does, the events that were answered: newest first, in pages. */
async function startEventList(money: Money) {
  const server = createServer((request, reply) => {
    const { searchParams } = new URL(request.url ?? '', 'http://stripe')
    const events: StripeEvent[] = money.sent.toReversed()
    const start = 1 + events.findIndex(({ id }) => id === searchParams.get('starting_after'))
    const limit = Number(searchParams.get('limit') ?? 10)
    const data = events.slice(start, start + limit)
    const page = { object: 'list', url: '/v1/events', has_more: events.length > start + limit, data }
    reply.setHeader('content-type', 'application/json').end(JSON.stringify(page))
  }).listen(0, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() }
}
