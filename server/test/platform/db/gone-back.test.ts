// @module-tag slow
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BOARDS_PATH, type BoardPage, type Quote } from '@placard/contract'
import Sqlite from 'better-sqlite3'
import { sql } from 'kysely'
import { expect, it, vi } from 'vitest'
import { readBoard } from '../../../src/domain/boards/board.ts'
import { readPrice } from '../../../src/domain/checkout/price.ts'
import { reconcile } from '../../../src/domain/payments/reconcile.ts'
import { Changes } from '../../../src/platform/cdn/changes.ts'
import { configFrom } from '../../../src/platform/config/config.ts'
import type { Env } from '../../../src/platform/config/settings.ts'
import { openStore } from '../../../src/platform/db/open.ts'
import type { Store } from '../../../src/platform/db/store.ts'
import type { Engine } from '../../../src/platform/db/tables/index.ts'
import { ENGINES } from '../../support/engines.ts'
import { payFor } from '../../support/ledger.ts'
import { startEmbedded, startStandby } from '../../support/postgres.ts'
import { NOON, quote, startTestService } from '../../support/service.ts'

/** A database that can go back to where it was marked, while instances are at work on it. */
interface Rewindable {
  env: Env
  mark(): Promise<void>
  goBack(): Promise<void>
  remove(): Promise<void>
}

/** A standby that lags takes over from its primary, at the same address. */
async function withStandby(): Promise<Rewindable> {
  const flags = ['-c', 'fsync=off', '-c', 'max_connections=50']
  const primary = await startEmbedded(flags)
  const standby = await startStandby(primary, flags)
  const sockets = new Set<Socket>()
  let to = primary.url
  const address = createServer(client => {
    const server = connect(Number(new URL(to).port), '127.0.0.1')
    for (const [from, other] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(from)
      from.on('error', () => other.destroy()).on('close', () => other.destroy())
      from.pipe(other)
    }
  }).listen(0, '127.0.0.1')
  await new Promise(resolve => address.once('listening', resolve))
  const { port } = address.address() as AddressInfo
  const dataDir = mkdtempSync(join(tmpdir(), 'placard-gone-back-'))
  return {
    env: {
      DATA_DIR: dataDir,
      DATABASE_URL: `postgres://placard:placard@127.0.0.1:${port}/postgres`,
      SERVICE_KEY: randomBytes(32).toString('hex'),
    },
    mark: () => standby.cutOff(),
    async goBack() {
      await standby.promote()
      to = standby.url
      for (const socket of sockets) socket.destroy()
    },
    async remove() {
      address.close()
      for (const socket of sockets) socket.destroy()
      await standby.stop()
      await primary.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** An earlier copy of the file is put back through SQLite, as its command `.restore` does. */
async function withCopy(dataDir: string): Promise<Rewindable> {
  const [file, copy] = [join(dataDir, 'placard.db'), join(dataDir, 'copy.db')]
  const backUp = async (from: string, to: string) => {
    const db = new Sqlite(from)
    await db.backup(to)
    db.close()
  }
  return {
    env: {},
    mark: () => backUp(file, copy),
    goBack: () => backUp(copy, file),
    remove: async () => {},
  }
}

/** Makes the database refuse warnings, as it may refuse any write just after a failover. */
const REFUSE_WARNINGS = {
  sqlite: ["create trigger refused before insert on warning begin select raise(abort, 'not now'); end"],
  postgres: [
    "create function refuse() returns trigger language plpgsql as 'begin raise exception ''not now''; end'",
    'create trigger refused before insert on warning for each row execute function refuse()',
  ],
}
const TAKE_WARNINGS = { sqlite: 'drop trigger refused', postgres: 'drop trigger refused on warning' }

it.each(ENGINES)(
  'instances on %s count anew when the ledger goes back under them, whatever follows then',
  async (engine: Engine) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'placard-test-'))
    const database = await (engine === 'postgres' ? withStandby() : withCopy(dataDir))
    const env = { DATA_DIR: dataDir, ...database.env }
    const stores: Store[] = []
    const look = vi.spyOn(Changes.prototype, 'look')
    async function open() {
      const store = await openStore(configFrom(env))
      stores.push(store)
      return store
    }
    const service = await startTestService({
      database: { env, dataDir, openStore: open, remove: async () => {} },
    })
    try {
      // Each is an instance with counts of its own.
      const [writer, oftenAsked, seldomAsked] = [await open(), await open(), await open()]
      let paid = 0
      const pay = (history: string, amountCents: number, nth = paid + 1) =>
        payFor(writer, `${history}-${nth}.com`, `pi_${++paid}`, { amountCents })
      const versionNow = async () => {
        const { rows } = await sql<{ version: number }>`
          select coalesce(max(version), 0) as version from board_change`.execute(writer.db)
        return Number(rows[0]?.version)
      }
      const TARGETS = [5, 9, 10, 11, 15, 20, 21, 30, 45, 100, 5000]
      const bid = (targetBid: number) => ({ destinationKey: '2:new.com', board: 'all' as const, targetBid })
      const asked = async (store: Store) => {
        const prices = await Promise.all(TARGETS.map(target => readPrice(store, bid(target), NOON)))
        return prices.map(({ estimatedRank }) => estimatedRank)
      }
      const askedOverHttp = async () => {
        const body = { destination: 'https://new.com', category: 'Games', board: 'all' }
        const replies = await Promise.all(TARGETS.map(targetBid => quote<Quote>(service, { ...body, targetBid })))
        return replies.map(reply => reply.body.estimatedRank)
      }
      const boardOverHttp = async () => {
        const { entries } = (await (await fetch(`${service.url}${BOARDS_PATH}/all`)).json()) as BoardPage
        return entries.map(({ title, totalCents }) => `${title} ${totalCents}`)
      }
      const rightBoard = async () => {
        const { rows } = await readBoard(writer, { board: 'all', limit: 100 }, NOON)
        return rows.map(({ title, totalCents }) => `${title} ${totalCents}`)
      }
      const right = async () => {
        const totals = await writer.db
          .selectFrom('board_total')
          .select('totalCents')
          .where('board', '=', 'all')
          .execute()
        return TARGETS.map(target => 1 + totals.filter(({ totalCents }) => totalCents >= 100 * target).length)
      }

      for (const amountCents of [900, 2000, 4500]) await pay('kept', amountCents)
      for (const text of REFUSE_WARNINGS[engine]) await sql.raw(text).execute(writer.db)
      await database.mark()
      // For listings that are kept, so that nothing but payments is lost.
      for (const [nth, amountCents] of [1000, 1000, 10_000, 3000].entries())
        await pay('kept', amountCents, (nth % 3) + 1)
      const known = await versionNow()
      for (const store of [oftenAsked, seldomAsked, writer]) expect(await asked(store)).toEqual(await right())
      expect(await askedOverHttp()).toEqual(await right())
      expect(await boardOverHttp()).toEqual(await rightBoard())

      // The service knows what it must not lose once a look that began from here on has ended.
      const begun = look.mock.calls.length
      await expect.poll(() => look.mock.settledResults[begun]?.type).toBe('fulfilled')
      await database.goBack()
      // Connections to what was there before fail once.
      await expect.poll(() => versionNow().catch(() => undefined)).toBeLessThan(known)
      const answers = (ask: () => Promise<unknown>) =>
        expect.poll(async () => JSON.stringify(await ask().catch(() => undefined)))
      await answers(() => asked(oftenAsked)).toBe(JSON.stringify(await right()))
      const warnings = () => writer.db.selectFrom('warning').select('kind').execute()
      await answers(boardOverHttp).toBe(JSON.stringify(await rightBoard()))
      // A warning that was refused is repeated.
      const results = () => look.mock.settledResults.map(({ type, value }) => type === 'fulfilled' && value.hasGoneBack)
      await expect.poll(results).toContain(true)
      await expect.poll(() => results().length).toBeGreaterThan(results().indexOf(true) + 1)
      expect(await warnings()).toEqual([])
      await sql.raw(TAKE_WARNINGS[engine]).execute(writer.db)
      await expect.poll(warnings).toContainEqual({ kind: 'database_went_back' })

      // As many changes as before, but others: the same number no longer means the same history.
      while ((await versionNow()) < known) await pay('other', 500)
      expect(await versionNow()).toBe(known)
      await answers(askedOverHttp).toBe(JSON.stringify(await right()))
      expect(await asked(oftenAsked)).toEqual(await right())
      expect(await boardOverHttp()).toEqual(await rightBoard())

      await pay('more', 2000)
      await pay('more', 700)
      await answers(() => asked(seldomAsked)).toBe(JSON.stringify(await right()))
      expect(await asked(oftenAsked)).toEqual(await right())
      expect(await askedOverHttp()).toEqual(await right())
      expect((await reconcile(writer, NOON)).differences).toEqual([])
    } finally {
      look.mockRestore()
      await service.stop()
      for (const store of stores) await store.close()
      await database.remove()
      rmSync(dataDir, { recursive: true, force: true })
    }
  },
)
