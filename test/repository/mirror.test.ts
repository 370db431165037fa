// @module-tag programs
// @module-tag slow
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { CATEGORIES } from '@placard/contract'
import Sqlite from 'better-sqlite3'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { randomFrom } from '../../examples/seed/random.ts'
import { findListing } from '../../server/src/domain/listings/listing.ts'
import { endListing, undoTerm } from '../../server/src/domain/moderation/end-dates.ts'
import { hideListing, restoreListing, withdrawListing } from '../../server/src/domain/moderation/moderate.ts'
import { changeCategory } from '../../server/src/domain/ownership/change-listing.ts'
import { proveOwner } from '../../server/src/domain/ownership/prove-owner.ts'
import { openServiceKeys } from '../../server/src/domain/ownership/service-keys/recorded-keys.ts'
import type { ServiceKeys } from '../../server/src/domain/ownership/service-keys/service-keys.ts'
import { applyEvent } from '../../server/src/domain/payments/apply-event.ts'
import { configFrom } from '../../server/src/platform/config/config.ts'
import type { Store } from '../../server/src/platform/db/store.ts'
import { Secret } from '../../server/src/platform/lib/secret.ts'
import { HOUR_MS, MINUTE_MS, utcDay } from '../../server/src/platform/lib/time.ts'
import { migratedDatabase, SQLITE_FIRST } from '../../server/test/support/engines.ts'
import { eventOf, payFor } from '../../server/test/support/ledger.ts'
import { newCredentials, publish, publishBody, startTestService } from '../../server/test/support/service.ts'
import { type Sites, startSites } from '../../server/test/support/sites.ts'
import { areInstalled, workplace } from '../programs.ts'

const ROUNDS = 12
const ACTS_PER_ROUND = 20
/** A day in all, less the minute before the mirrors are compared. */
const ROUND_MS = (24 * HOUR_MS - MINUTE_MS) / ROUNDS - 1000
/** Midnight UTC: a whole day fits on the board of today. */
const MIDNIGHT = Date.UTC(2026, 10, 21)
const BY = { actor: 'operator:anna' } as const
const example = (name: string) => join(import.meta.dirname, '../../examples/mirror', name)
const MIRRORS = [
  { name: 'mirror.ts', program: process.execPath, file: example('mirror.ts') },
  { name: 'mirror.py', program: 'python3', file: example('mirror.py') },
]

type Mirror = (typeof MIRRORS)[number]

describe.runIf(areInstalled('python3')).each(SQLITE_FIRST)('a mirror of a site on %s', engine => {
  it('equals it row by row after a day of random acts and kills', { timeout: 600_000 }, async ({ onTestFinished }) => {
    const random = randomFrom(engine).next
    const [database, sites, place] = [await migratedDatabase(engine), await startSites(), workplace()]
    const env = { ...database.env, ...SETTINGS, FETCH_CONNECT_TO: sites.connectTo }
    const store = await database.openStore()
    const keys = await openServiceKeys(store, configFrom(env), MIDNIGHT)
    let board = await startBoard(env, MIDNIGHT)
    onTestFinished(async () => {
      board.child.kill('SIGKILL')
      place.remove()
      await sites.close()
      await database.remove()
    })
    const kills = { board: 0, mirror: 0 }
    let now = MIDNIGHT
    for (let round = 0; round < ROUNDS; round++) {
      now += ROUND_MS
      await board.setClock(now)
      const { url } = board
      const acts = actAtRandom({ url, store, keys, sites, random }, now)
      const copies = MIRRORS.map(async (mirror, nth) => {
        const child = run(mirror, url, place.path(`${nth}.db`))
        const ended = once(child, 'close')
        if (random() < 0.4 && ++kills.mirror) {
          await sleep(random() * 400)
          child.kill('SIGKILL')
        }
        await ended
      })
      if (random() < 0.3 && ++kills.board) {
        await sleep(random() * 400)
        board.child.kill('SIGKILL')
      }
      await Promise.all([acts, ...copies])
      if (board.child.signalCode !== null || board.child.killed) board = await startBoard(env, now)
    }
    expect(kills.board).toBeGreaterThan(1)
    expect(kills.mirror).toBeGreaterThan(3)

    now += MINUTE_MS
    await board.setClock(now)
    const wanted = await rowsOf(store, now)
    expect(wanted.listings.length).toBeGreaterThan(15)
    expect(wanted.places.length).toBeGreaterThan(10)
    for (const [nth, mirror] of MIRRORS.entries()) {
      const file = place.path(`${nth}.db`)
      expect(await end(mirror, `${board.url}/`, file)).toEqual([[0, null], expect.anything()])
      expect(rowsIn(file)).toEqual(wanted)
    }
  })
})

describe.runIf(areInstalled('python3')).each(MIRRORS)('$name', mirror => {
  it('says how it is called', async () => {
    const usage = [[1, null], expect.stringMatching(/^Usage: (node|python3) mirror\.(ts|py) SITE FILE\n$/)]
    for (const args of [[], ['http://127.0.0.1:1'], ['http://127.0.0.1:1', 'a.db', 'b.db']]) {
      expect(await end(mirror, ...args)).toEqual(usage)
    }
  })

  it('refuses to mix two sites in one file', async ({ onTestFinished }) => {
    const [place, one, other] = [workplace(), await startTestService(), await startTestService()]
    onTestFinished(async () => {
      place.remove()
      for (const service of [one, other]) await service.stop()
    })
    const file = place.path('copy.db')
    expect(await end(mirror, one.url, file)).toEqual([[0, null], expect.anything()])
    const mixed = `${file} is a copy of ${one.url}, not of ${other.url}. Name another file.`
    expect(await end(mirror, other.url, file)).toEqual([[1, null], expect.stringContaining(mixed)])
    expect(await end(mirror, one.url, file)).toEqual([[0, null], expect.anything()])
  })

  it('says in one line why there is no copy now', async ({ onTestFinished }) => {
    const place = workplace()
    const head = { site: 'http://placard.example', asOf: 1 }
    const slugs = Array.from({ length: 1000 }, () => randomBytes(50).toString('hex'))
    const rows = slugs.map((slug, id) => ({ id, status: 'published', expiresAt: null, slug }))
    const stream = gzipSync([head, ...rows].map(row => `${JSON.stringify(row)}\n`).join(''))
    const server = createServer((request, response) => {
      if (request.url?.startsWith('/busy')) return void response.writeHead(503).end()
      response.writeHead(200, { 'content-encoding': 'gzip' }).write(stream.subarray(0, stream.length / 2), () => {
        response.destroy()
      })
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const url = `http://127.0.0.1:${port}`
    const file = place.path('copy.db')
    const other = new Sqlite(file)
    onTestFinished(() => {
      server.close()
      other.close()
      place.remove()
    })
    const oneLine = async (site: string) => {
      const [ended, errors] = await end(mirror, site, file)
      expect(ended).toEqual([1, null])
      // Node warns that its SQLite is new.
      return errors.replaceAll(/^\(.*\n/gm, '')
    }
    other.exec('begin immediate; create table held (one)')
    const isUsed = `${file} can't be written: another program is using it. Run this again later.\n`
    expect(await oneLine(url)).toBe(isUsed)
    other.exec('rollback')
    for (const site of [`${url}/busy`, url]) {
      expect(await oneLine(site)).toMatch(new RegExp(`^${site} can't be read: .+\\. Run this again\\.\n$`))
    }
    server.close()
    expect(await oneLine(url)).toMatch(/^http.+ can't be read: .*refused.*\. Run this again\.\n$/i)
  })
})

/** For payments of real money, and with limits that no test reaches. */
const SETTINGS = {
  PORT: '0',
  LOG_LEVEL: 'silent',
  // It stays when the service starts again, at another port.
  BASE_URL: 'http://127.0.0.1:1',
  PAYMENTS: 'stripe',
  STRIPE_SECRET_KEY: 'sk_live_nobody',
  STRIPE_WEBHOOK_SECRET: 'whsec_nobody',
  LIMIT_PUBLISH_REQUESTS_PER_TEN_MINUTES_PER_IP: '100000',
  LIMIT_NEW_ATTEMPTS_PER_DAY_PER_IP: '100000',
  LOOKS_PER_HOUR: '0',
}

/** Programs start dozens of times, so Node compiles them once. */
const INHERITED = { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }

interface Board {
  url: string
  child: ChildProcess
  setClock(now: number): Promise<void>
}

async function startBoard(env: Record<string, string | undefined>, now: number): Promise<Board> {
  const script = join(import.meta.dirname, '../../server/test/support/board-process.ts')
  const child = fork(script, [String(now)], { env: { ...INHERITED, TMPDIR: process.env.TMPDIR, ...env } })
  /** Its next message, or none once it has been killed. */
  const answer = async () => {
    const over = new AbortController()
    const heard = (event: string) => once(child, event, { signal: over.signal }).catch(() => [])
    const [message] = await Promise.race([heard('message'), heard('exit').then(() => [])])
    over.abort()
    return message as { port: number } | undefined
  }
  const listening = await answer()
  if (!listening) throw new Error('the service did not start')
  return {
    url: `http://127.0.0.1:${listening.port}`,
    child,
    async setClock(time) {
      child.send(time)
      if (!(await answer())) throw new Error('the service ended by itself')
    },
  }
}

const run = ({ program, file }: Mirror, ...args: string[]) =>
  spawn(program, [file, ...args], { env: INHERITED, stdio: ['ignore', 'ignore', 'pipe'] })

/** Runs a mirror to its end. @returns its exit code and signal, and what it wrote about errors */
async function end(mirror: Mirror, ...args: string[]) {
  const child = run(mirror, ...args)
  let errors = ''
  child.stderr.on('data', chunk => {
    errors += chunk
  })
  return [await once(child, 'close'), errors] as const
}

interface Acting {
  url: string
  store: Store
  keys: ServiceKeys
  sites: Sites
  random: () => number
}

/** What other instances, operators and the processor do within two hours, while the service may be killed. */
async function actAtRandom({ url, store, keys, random }: Acting, now: number): Promise<void> {
  const payments = await store.db.selectFrom('payment').select(['paymentId', 'paidCents']).execute()
  for (let nth = 0; nth < ACTS_PER_ROUND; nth++) {
    // The clock of this instance is up to five minutes behind that of the service.
    const at = now - Math.floor(random() * 5 * MINUTE_MS)
    const host = `site-${Math.floor(random() * 60)}.com`
    const listing = await findListing(store.db, host.replace('.', '-'))
    const act = Math.floor(random() * 10)
    if (!listing || act === 0) {
      // The service may be killed before it answers.
      await publish({ url }, newCredentials(), publishBody(`http://${host}/`)).catch(() => {})
    } else if (act === 1) await hideListing(store, listing.slug, 'for a reason', at)
    else if (act === 2) await restoreListing(store, listing.slug, 'for another reason', at)
    else if (act === 3) await withdrawListing(store, listing, at)
    else if (act === 4) await changeCategory(store, listing.id, oneOf(CATEGORIES, random), at)
    else if (act === 5) {
      const proof = { token: `plc_${'a'.repeat(40)}`, secret: new Secret(randomBytes(32)), place: 'meta_tag' } as const
      await proveOwner({ store, serviceKeys: keys, onNewOwner, onWaiting: onNewOwner }, listing, proof, undefined, at)
    } else if (act === 6) await endListing(store, listing.slug, 'for a reason', at, BY)
    // It ends by itself a few hours later.
    else if (act === 7)
      await undoTerm(store, listing.slug, at + Math.ceil(random() * 5 * HOUR_MS), 'for a reason', at, BY)
    else if (act === 8 && payments.length > 0) {
      const { paymentId, paidCents } = oneOf(payments, random)
      const kind = oneOf(['refunded', 'disputed', 'dispute_won'] as const, random)
      const refunded = Math.ceil((paidCents ?? 0) * random())
      await applyEvent(store, eventOf(kind, paymentId, { occurredAt: at, amountCents: refunded }), at)
    } else {
      await payFor(store, host, `pi_${now}_${nth}`, { amountCents: 500 * Math.ceil(random() * 40), at })
    }
  }
}

const onNewOwner = async () => {}

const oneOf = <T>(all: readonly T[], random: () => number): T => all[Math.floor(random() * all.length)] as T

/** What a mirror must have: read from the tables, past the code that streams. */
async function rowsOf({ db }: Store, now: number) {
  const listings = await sql<Record<string, unknown>>`
    select listing.id, slug, url, hostname as host, title, description, category, language, "publishedAt", "expiresAt",
      listing."updatedAt", (select "provenAt" from site_owner where "listingId" = listing.id) as "ownerVerifiedSince"
    from listing where "hiddenAt" is null and ("expiresAt" is null or "expiresAt" > ${now}) order by listing.id`.execute(
    db,
  )
  const places = async (board: string, key: string) => {
    const { rows } = await sql<{ id: number; totalCents: number; reachedAt: number }>`
      select "listingId" as id, "totalCents", "reachedAt" from board_total
      where board = ${key} and shown = 1 and "totalCents" > 0
      order by "totalCents" desc, "reachedAt", "destinationKey"`.execute(db)
    return rows.map((row, nth) => ({ board, rank: nth + 1, ...row }))
  }
  return { listings: listings.rows, places: [...(await places('all', 'all')), ...(await places('today', utcDay(now)))] }
}

/** What a mirror has. */
function rowsIn(file: string) {
  const db = new Sqlite(file, { readonly: true })
  const listings = db.prepare<[], { json: string }>('select json from listing order by id').all()
  const places = db.prepare('select board, rank, id, totalCents, reachedAt from place order by board, rank').all()
  db.close()
  return {
    listings: listings.map(({ json }) => {
      const { status, productUrl, ...row } = JSON.parse(json)
      return row
    }),
    places,
  }
}
