import { join } from 'node:path'
import { search } from '../server/dist/domain/listings/search.js'
import { openStore } from '../server/dist/platform/db/open.js'
import type { Store } from '../server/dist/platform/db/store.js'
import { heading, LONG_ROUNDS, report } from './compare.ts'
import { fillSearch, wordAt } from './fill-search.ts'
import { startPostgres } from './postgres.ts'

const LISTINGS = 100_000
const SEARCHES_PER_ROUND = 10

/** The commonest words are in two of three listings, and in a third. */
const COMMON = {
  'the commonest word': wordAt(0),
  'a common word': wordAt(3),
  'two common words': `${wordAt(0)} ${wordAt(3)}`,
}
const RARE = wordAt(9000)
const SWAPPED = RARE.slice(0, 3) + RARE[4] + RARE[3] + RARE.slice(5)
const TYPOS = { 'a typo': SWAPPED, 'two typos': SWAPPED.slice(0, -2) + SWAPPED.slice(-1) }
/** In every tenth listing, and in every twentieth. */
const BEGINNINGS = { 'a common beginning': wordAt(300).slice(0, 4), 'a beginning': RARE.slice(0, 4) }
const OTHERS = {
  'a rare word': RARE,
  'a word that means others': 'photography',
}

/** What a search takes among many listings, in milliseconds: the fastest of a few, since others share the machine. */
export async function searchFigures(folder: string): Promise<void> {
  const postgres = await startPostgres()
  try {
    await figuresOf('SQLite', { databaseUrl: undefined, dataDir: join(folder, 'sqlite') })
    const { DATABASE_URL } = await postgres.database('search')
    await figuresOf('PostgreSQL', { databaseUrl: DATABASE_URL, dataDir: join(folder, 'postgres') })
  } finally {
    await postgres.stop()
  }
}

async function figuresOf(engine: string, settings: Parameters<typeof openStore>[0]): Promise<void> {
  // Patient, since PostgreSQL may take long over the vacuum of a filled table.
  const store = await openStore({ ...settings, patient: true })
  try {
    await fillSearch(store, LISTINGS)
    heading(`Searches among ${LISTINGS.toLocaleString('en')} listings on ${engine}, in milliseconds`)
    for (const [name, words] of Object.entries(COMMON)) await figure(store, name, words, { atMost: 15 })
    for (const [name, words] of Object.entries({ ...TYPOS, ...BEGINNINGS })) {
      await figure(store, name, words, { atMost: 40 })
    }
    for (const [name, words] of Object.entries(OTHERS)) await figure(store, name, words, undefined)
  } finally {
    await store.close()
  }
}

async function figure(store: Store, name: string, words: string, wanted: { atMost: number } | undefined) {
  const clock = store.engine === 'sqlite' ? cpuMs : () => performance.now()
  const rounds: number[] = []
  for (let round = 0; round < LONG_ROUNDS; round++) {
    const times: number[] = []
    for (let place = 0; place < SEARCHES_PER_ROUND; place++) {
      const startedAt = clock()
      await search(store, { words, now: Date.now(), limit: 24 })
      times.push(clock() - startedAt)
    }
    rounds.push(Math.min(...times))
  }
  report(name, rounds, wanted)
}

/** SQLite searches in this process and waits for nobody: what it uses of a processor is what it takes. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
