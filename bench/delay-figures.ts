import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { PUBLISH_PATH } from '@placard/contract'
import { openStore } from '../server/dist/platform/db/open.js'
import { heading, LONG_ROUNDS, report } from './compare.ts'
import { fillSearch, slugAt, wordAt } from './fill-search.ts'
import { credentials, publishBody, WIDE_ENV } from './requests.ts'
import { type ServerProcess, startServer } from './server-process.ts'

const LISTINGS = 100_000
const SECONDS = 4
/** Words in most listings, in few, mistyped, and only begun. */
const SEARCHES = [
  wordAt(0),
  `${wordAt(5)} ${wordAt(9)} ${wordAt(30)}`,
  wordAt(9000),
  'photography',
  'selborra',
]
const SEARCHES_PER_SECOND = 10

/**
 * How long the event loop of the service is held up, that is, how long any other request waits, while everything goes on
 * that may take long: searches, pictures, reviews and a backup.
 */
export async function delayFigures(folder: string): Promise<void> {
  const dataDir = join(folder, 'data')
  const store = await openStore({ databaseUrl: undefined, dataDir })
  await fillSearch(store, LISTINGS)
  await store.close()
  const sites = await startServer('sites', [])
  const service = await startServer('reading', [], {
    ...WIDE_ENV,
    DATA_DIR: dataDir,
    FETCH_CONNECT_TO: sites.url,
    TRUSTED_PROXIES: '127.0.0.1',
  })
  const idle = await startServer('bare', [])
  try {
    heading(`Delay of the event loop with ${LISTINGS.toLocaleString('en')} listings on SQLite, p99 in ms`)
    const rounds: Record<'all' | 'own' | 'idle' | 'nothing', number[]> = {
      all: [],
      own: [],
      idle: [],
      nothing: [],
    }
    const answered = { searches: 0, pictures: 0, reviews: 0, backups: 0 }
    for (let round = 0; round <= LONG_ROUNDS; round++) {
      const nothing = await delayDuring(service, () => sleep(SECONDS * 1000))
      await Promise.all([idle.delayP99Ms(), service.ownDelayP99Ms()])
      const all = await delayDuring(service, () => everything(service, dataDir, answered))
      const own = await service.ownDelayP99Ms()
      // The first round only warms up.
      if (round === 0) continue
      rounds.nothing.push(nothing)
      rounds.all.push(all)
      rounds.own.push(own)
      rounds.idle.push(await idle.delayP99Ms())
    }
    report('searches, pictures, reviews and a backup at once', rounds.all, { atMost: 10 })
    report('the same without waiting for a processor', rounds.own, undefined)
    report('in a process that does nothing, at the same time', rounds.idle, undefined)
    report('in the service before, without them', rounds.nothing, undefined)
    console.log(
      `    ${Object.entries(answered)
        .map(([what, count]) => `${count} ${what}`)
        .join(', ')}`,
    )
  } finally {
    await Promise.all([idle.stop(), service.stop(), sites.stop()])
  }
}

async function delayDuring(service: ServerProcess, work: () => Promise<unknown>): Promise<number> {
  await service.delayP99Ms()
  await work()
  return service.delayP99Ms()
}

type Answered = Record<'searches' | 'pictures' | 'reviews' | 'backups', number>

async function everything({ url }: ServerProcess, dataDir: string, answered: Answered): Promise<void> {
  const end = performance.now() + SECONDS * 1000
  const until = async (what: keyof Answered, work: () => Promise<unknown>) => {
    while (performance.now() < end) {
      await work()
      answered[what]++
    }
  }
  await Promise.all([
    until('searches', async () => {
      const words = SEARCHES[++asked % SEARCHES.length] ?? ''
      await Promise.all([
        get(`${url}/search?q=${encodeURIComponent(words)}`),
        sleep(1000 / SEARCHES_PER_SECOND),
      ])
    }),
    until('pictures', () => get(`${url}/picture/${slugAt(LISTINGS - ++asked)}/share.png`)),
    until('reviews', () => review(url)),
    until('backups', () => backup(dataDir)),
  ])
}

let asked = 0

/** Each from another client, since searches are counted by client. */
async function get(address: string): Promise<void> {
  const client = `198.51.${Math.floor(asked / 250) % 250}.${asked % 250}`
  const response = await fetch(address, { headers: { 'x-forwarded-for': client } })
  await response.arrayBuffer()
  if (response.status !== 200) throw new Error(`${address} answered ${response.status}`)
}

async function review(url: string): Promise<void> {
  const body = publishBody(`http://ordinary-${++asked}.com`)
  const response = await fetch(url + PUBLISH_PATH, { method: 'POST', headers: credentials(), body })
  await response.arrayBuffer()
  if (response.status !== 201) throw new Error(`a publish answered ${response.status}`)
}

/** Copies the database while it is in use, as an operator does: in a process of its own. */
async function backup(dataDir: string): Promise<void> {
  const to = join(dataDir, 'backup')
  mkdirSync(to, { recursive: true })
  const child = fork(new URL('./backup.ts', import.meta.url), [dataDir, to])
  const [code] = (await once(child, 'exit')) as [number]
  if (code !== 0) throw new Error(`the backup ended with ${code}`)
}
