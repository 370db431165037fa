// @module-tag programs
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { type Kysely, sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { configFrom } from '../../../src/platform/config/config.ts'
import { MIGRATIONS } from '../../../src/platform/db/migrations/index.ts'
import { openStore } from '../../../src/platform/db/open.ts'
import { emptyDatabase, migratedDatabase } from '../../support/engines.ts'
import { type ServiceProcess, startProcess } from '../../support/process.ts'
import { newCredentials, publish, publishAtLast, publishBody } from '../../support/service.ts'
import { startSites } from '../../support/sites.ts'

const WIDE = {
  LIMIT_PUBLISH_REQUESTS_PER_TEN_MINUTES_PER_IP: '100000',
  LIMIT_NEW_ATTEMPTS_PER_DAY_PER_IP: '100000',
  LIMIT_NEW_ATTEMPTS_PER_DAY_GLOBAL: '100000',
}

describe('when the database fails', () => {
  it('a service whose PostgreSQL connections are cut answers 503, lives on and recovers', async () => {
    const database = await migratedDatabase('postgres')
    const sites = await startSites()
    const service = await startProcess({
      ...database.env,
      ...WIDE,
      FETCH_CONNECT_TO: sites.connectTo,
    })
    const statuses = new Set<number>()
    let running = true
    const workers = Array.from({ length: 8 }, async (_, worker) => {
      for (let index = 0; running && index < 2000; index++) {
        const destination = publishBody(`http://cut-${worker}-${index}.com`)
        statuses.add((await publish(service, newCredentials(), destination)).status)
      }
    })
    const client = new pg.Client(database.env.DATABASE_URL)
    await client.connect()
    for (let cuts = 0; cuts < 5; cuts++) {
      await new Promise(resolve => setTimeout(resolve, 150))
      await client.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid()`,
      )
    }
    running = false
    await Promise.all(workers)
    expect([...statuses].filter(status => status !== 201 && status !== 503)).toEqual([])
    expect((await publishAtLast(service, newCredentials(), publishBody('http://after.com'))).status).toBe(201)
    const { rows } = await client.query(
      `select (select count(*) from listing)::int as listings, (select count(*) from claim)::int as claims,
         (select count(*) from attempt where state = 'published')::int as published`,
    )
    expect(rows[0].listings).toBeGreaterThan(0)
    expect(rows[0]).toEqual({
      listings: rows[0].listings,
      claims: rows[0].listings,
      published: rows[0].listings,
    })
    await client.end()
    expect(await service.end('SIGTERM')).toBe(0)
    await sites.close()
    await database.remove()
  })

  describe('while PostgreSQL is gone', () => {
    let service: ServiceProcess
    let document: { paths: Record<string, { get?: { responses: Record<string, { description: string }> } }> }
    beforeAll(async () => {
      const database = await migratedDatabase('postgres')
      service = await startProcess({ ...database.env, ...WIDE })
      document = (await (await fetch(`${service.url}/openapi.json`)).json()) as typeof document
      await database.remove()
    })
    afterAll(() => service.end('SIGTERM'))

    it('pages and probes say 503', async () => {
      for (const path of ['/', '/product/any', '/readyz']) {
        const response = await fetch(service.url + path)
        const body = (await response.json()) as { code: string }
        expect([path, response.status, body.code]).toEqual([path, 503, 'not_ready'])
        expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
      }
      expect((await fetch(`${service.url}/healthz`)).status).toBe(200)
    })

    it('the API answers as its document says', async () => {
      const named: Record<string, string> = { board: 'all', category: 'Design', day: '2026-11-20', slug: 'any' }
      const [key, secret] = ['1f0e4bb2-7c52-4e2c-9a53-2b8f6f3c9a11', newCredentials().secret]
      for (const [path, { get }] of Object.entries(document.paths)) {
        if (!get) continue
        const filled = path.replace('{key}', key).replace(/\{(\w+)\}/g, (_, name) => named[name] ?? 'A'.repeat(22))
        const headers = { 'x-submission-secret': secret }
        const reply = await fetch(`${service.url}${filled}${path.endsWith('/search') ? '?q=any' : ''}`, { headers })
        const { code } = (await reply.json()) as { code?: string }
        if (reply.ok) continue
        expect([path, get.responses[reply.status]?.description.split(', ')]).toEqual([
          path,
          expect.arrayContaining([code]),
        ])
      }
    })
  })

  it('a service whose PostgreSQL hangs silently answers 503, and continues once one answers', async () => {
    const database = await migratedDatabase('postgres')
    const relay = await startRelay(Number(new URL(database.env.DATABASE_URL ?? '').port))
    const address = new URL(database.env.DATABASE_URL ?? '')
    address.port = String(relay.port)
    const service = await startProcess({ ...database.env, ...WIDE, DATABASE_URL: address.href })
    const statuses = () =>
      Promise.all(['/newest', '/product/any', '/readyz'].map(async path => (await fetch(service.url + path)).status))
    expect(await statuses()).toEqual([200, 404, 200])
    relay.hang()
    expect(await statuses()).toEqual([503, 503, 503])
    // The connections from before stay silent: they must not be used again.
    relay.answerNewOnes()
    expect(await statuses()).toEqual([200, 404, 200])
    await service.end('SIGKILL')
    relay.close()
    await database.remove()
  })

  it('a migration that running instances lock out of PostgreSQL each time ends, and says what to do', async () => {
    const database = await migratedDatabase('postgres')
    const deadlock = sql`do $$ begin raise exception 'deadlock detected' using errcode = '40P01'; end $$`
    const migrations = {
      ...MIGRATIONS,
      '9001': { up: async (db: Kysely<unknown>) => void (await deadlock.execute(db)) },
    }
    await expect(openStore({ ...configFrom(database.env), migrations })).rejects.toThrow(
      /^the database cannot be migrated: .* Nothing has changed: stop them, or start again when they have less to do$/,
    )
    await database.remove()
  })

  it('a first start waits for another process that holds the empty SQLite file', async () => {
    const database = await emptyDatabase('sqlite')
    const other = new Sqlite(join(database.dataDir, 'placard.db'))
    other.pragma('journal_mode = WAL')
    other.exec('begin immediate')
    const starting = startProcess({ ...database.env, ...WIDE })
    // Enough time to reach the lock. If not, the start just has nothing to wait for.
    await new Promise(resolve => setTimeout(resolve, 900))
    other.exec('commit')
    other.close()
    expect(await (await starting).end('SIGTERM')).toBe(0)
    await database.remove()
  })

  it('a SQLite file locked by another process delays only writes', async () => {
    const database = await migratedDatabase('sqlite')
    const sites = await startSites()
    const service = await startProcess({ ...database.env, ...WIDE, FETCH_CONNECT_TO: sites.connectTo })
    const other = new Sqlite(join(database.dataDir, 'placard.db'))
    other.exec('begin immediate')
    let answered = false
    const waiting = publishAtLast(service, newCredentials(), publishBody('http://waits.com')).finally(() => {
      answered = true
    })
    // If the lock blocked the process, it could not answer these before the publish.
    for (let requests = 0; requests < 20; requests++) {
      expect((await fetch(`${service.url}/healthz`)).status).toBe(200)
      await new Promise(resolve => setTimeout(resolve, 25))
    }
    expect(answered).toBe(false)
    other.exec('commit')
    other.close()
    expect((await waiting).status).toBe(201)
    await service.end('SIGTERM')
    await sites.close()
    await database.remove()
  })
})

/** A relay between the service and PostgreSQL. Once it hangs, it accepts everything, answers nothing and closes nothing. */
async function startRelay(toPort: number) {
  const sockets = new Set<Socket>()
  let hangs = false
  const server = createServer(socket => {
    sockets.add(socket.on('error', () => {}))
    if (hangs) return void socket.resume()
    const postgres = connect(toPort, '127.0.0.1').on('error', () => {})
    sockets.add(postgres)
    socket.pipe(postgres).pipe(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    hang() {
      hangs = true
      for (const socket of sockets) socket.unpipe().resume()
    },
    answerNewOnes() {
      hangs = false
    },
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
