import { statfs } from 'node:fs/promises'
import { CompiledQuery } from 'kysely'
import { Gauge, type Registry } from 'prom-client'
import { allWaiting, KINDS } from '../../domain/notifications/operator/waiting.ts'
import type { Store } from '../../platform/db/store.ts'
import { SECOND_MS, succeeds } from '../../platform/lib/time.ts'

interface StateDependencies {
  store: Store
  dataDir: string
  /** Defined in only one process of a machine, because each would report the same. */
  due: { clock: () => number } | undefined
}

type Reading = [labels: Record<string, string>, value: number]

/** Measures whether the site can serve, its disk, and pending items. Reads all of this at each scrape. */
export function measureState(registry: Registry, { store, dataDir, due }: StateDependencies): void {
  /** A value that can't be read is left out. */
  const gauge = (
    name: string,
    help: string,
    read: () => Promise<Reading[]>,
    { labelNames = [], aggregator = 'max' }: { labelNames?: string[]; aggregator?: 'max' | 'min' } = {},
  ) =>
    new Gauge({
      ...{ name, help, labelNames, aggregator, registers: [registry] },
      async collect() {
        const readings = await read().catch(() => [])
        this.reset()
        // Without labels, a gauge would be 0.
        if (labelNames.length === 0) this.remove()
        for (const [labels, value] of readings) this.set(labels, value)
      },
    })

  const probe = shared(async () => {
    const startedAt = performance.now()
    await Promise.all([store.executeQuery(CompiledQuery.raw('select 1')), store.proveWrite()])
    return (performance.now() - startedAt) / SECOND_MS
  })
  gauge(
    'placard_ready',
    '1 while this process can read and write the database, else 0; with several workers, the lowest.',
    async () => [[{}, Number(await succeeds(probe()))]],
    { aggregator: 'min' },
  )
  gauge(
    'placard_database_probe_seconds',
    'How long a small read and a small write took together; missing while the database cannot be used.',
    async () => [[{}, await probe()]],
  )
  gauge('placard_disk_free_bytes', 'Free space where DATA_DIR is.', async () => {
    const { bavail, bsize } = await statfs(dataDir)
    return [[{}, bavail * bsize]]
  })
  if (!due) return
  const waiting = shared(() => allWaiting(store.db))
  const ofEachKind = async (read: (found: { count: number; oldestAt: number } | undefined) => number) => {
    const found = await waiting()
    const kinds = Object.keys(KINDS).filter(kind => kind !== 'warning')
    return kinds.map((kind): Reading => [{ kind }, read(found.find(each => each.kind === kind))])
  }
  gauge(
    'placard_moderation_pending',
    'Pending items: reports, appeals, findings, unmatched payments. All instances report the same.',
    () => ofEachKind(found => found?.count ?? 0),
    { labelNames: ['kind'] },
  )
  gauge(
    'placard_moderation_oldest_age_seconds',
    'How long the oldest item of each kind has waited for an operator; 0 if none waits.',
    () => ofEachKind(found => (found ? Math.max(0, due.clock() - found.oldestAt) / SECOND_MS : 0)),
    { labelNames: ['kind'] },
  )
}

/** Returns a read that callers at the same time share. */
export function shared<Result>(read: () => Promise<Result>): () => Promise<Result> {
  let running: Promise<Result> | undefined
  return () => {
    running ??= read().finally(() => {
      running = undefined
    })
    return running
  }
}
