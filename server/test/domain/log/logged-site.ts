import { randomBytes } from 'node:crypto'
import {
  type LogEntry,
  leafHash,
  openNote,
  parseCheckpoint,
  parseEntry,
  signerOf,
  TreeBuilder,
} from '@placard/contract/log'
import { expect } from 'vitest'
import { noteEffects } from '../../../src/domain/log/outbox.ts'
import type { Env } from '../../../src/platform/config/settings.ts'
import type { Engine } from '../../../src/platform/db/tables/index.ts'
import { migratedDatabase } from '../../support/engines.ts'
import { freePort } from '../../support/free-port.ts'
import { operateHere } from '../../support/operate.ts'
import { NOON, startTestService, type TestService } from '../../support/service.ts'
import { startSites } from '../../support/sites.ts'

export const hex = (bytes: Buffer) => bytes.toString('hex')

export interface Found {
  origin: string
  size: number
  root: string
  /** Verifier keys of the valid signatures. */
  by: string[]
  note: string
}

/** A site with a log, a known port and a known signing key, whose services can be stopped and started. */
export async function createLoggedSite(engine: Engine) {
  const database = await migratedDatabase(engine)
  const store = await database.openStore()
  const sites = await startSites()
  const port = await freePort()
  const key = randomBytes(32)
  const env: Env = {
    PORT: String(port),
    SIGNING_KEY: hex(key),
    ...(engine === 'sqlite' && { SERVICE_KEY: hex(randomBytes(32)) }),
  }
  const origin = `127.0.0.1:${port}/log`
  const { vkey } = signerOf(origin, key)
  const running: TestService[] = []

  async function start(others: Env = {}): Promise<TestService> {
    const service = await startTestService({ engine, database, sites, env: { ...env, ...others }, jobsEveryMs: 20 })
    running.push(service)
    return service
  }

  async function stop(service: TestService): Promise<void> {
    running.splice(running.indexOf(service), 1)
    await service.stop()
  }

  /** Causes an entry. */
  const happen = (listingId = 1) =>
    store.transact(trx =>
      noteEffects(trx, [
        { kind: 'placed', at: NOON, board: 'all', listingId, changeCents: 0, totalCents: 0, shown: true },
      ]),
    )

  const entryTexts = async () =>
    (await store.db.selectFrom('log_entry').select('entry').orderBy('position').execute()).map(({ entry }) => entry)

  /** The checkpoint as anyone gets it, and by which of some keys it is signed. */
  async function checkpoint(service: TestService, vkeys = [vkey]): Promise<Found> {
    const response = await fetch(`${service.url}/log/checkpoint`)
    if (response.status !== 200) return { origin: '', size: 0, root: '', by: [], note: '' }
    const note = await response.text()
    const { text, signatures } = openNote(note, vkeys)
    const { root, ...rest } = parseCheckpoint(text)
    return { ...rest, root: root.toString('base64'), by: signatures.map(each => each.vkey), note }
  }

  return {
    env,
    origin,
    key,
    vkey,
    url: `http://127.0.0.1:${port}`,
    store,
    dataDir: database.dataDir,
    start,
    stop,
    happen,
    checkpoint,

    /** Causes an entry, and waits for the checkpoint that has it. */
    async grow(service: TestService, listingId = 1, vkeys?: string[]): Promise<Found> {
      await happen(listingId)
      const unsigned = async () => {
        const pending = await store.db.selectFrom('log_outbox').select('id').execute()
        return pending.length + (await entryTexts()).length - (await checkpoint(service, vkeys)).size
      }
      await expect.poll(unsigned).toBe(0)
      return checkpoint(service, vkeys)
    },

    async entries(): Promise<LogEntry[]> {
      return (await entryTexts()).map(text => parseEntry(text))
    },

    /** The root of the first entries, computed without their tiles. */
    async rootAt(size: number): Promise<string> {
      const tree = new TreeBuilder()
      for (const entry of (await entryTexts()).slice(0, size)) tree.add(leafHash(entry))
      return tree.root().toString('base64')
    },

    /** Takes the database back to a checkpoint, as a standby that lagged or a restored backup. */
    goBack: ({ origin, size, root, note }: Found) =>
      store.transact(async trx => {
        await trx.deleteFrom('log_entry').where('position', '>=', size).execute()
        await trx.updateTable('log_head').set({ size }).execute()
        await trx.updateTable('log_checkpoint').set({ origin, size, root, note }).execute()
      }),

    async warnings(): Promise<string[]> {
      return (await store.db.selectFrom('warning').select('kind').execute()).map(({ kind }) => kind)
    },

    operate: (args: string[], others: Env = {}) => operateHere({ ...database.env, ...env, ...others }, ...args),

    async remove(): Promise<void> {
      for (const service of running) await service.stop()
      await sites.close()
      await database.remove()
    },
  }
}

export type LoggedSite = Awaited<ReturnType<typeof createLoggedSite>>
