import { join } from 'node:path'
import { search } from '../server/dist/domain/listings/search.js'
import { suggest } from '../server/dist/domain/listings/suggest.js'
import { openStore } from '../server/dist/platform/db/open.js'
import type { Store } from '../server/dist/platform/db/store.js'
import { fillStore, wordAt } from './fill.ts'
import { heading, report, type Wanted } from './measure.ts'
import { startPostgres } from './postgres.ts'
import { fillWithSeed, queryFigures } from './queries.ts'

const ROUNDS = 5
const SEARCHES_PER_ROUND = 10
const RARE = wordAt(9000)
const SWAPPED = RARE.slice(0, 3) + RARE[4] + RARE[3] + RARE.slice(5)

/** The commonest words are in two of three listings, and in a third. The beginnings are in every tenth, and twentieth. */
const SEARCHES: [name: string, words: string, wanted: Wanted][] = [
  ['the commonest word', wordAt(0), { atMost: 15 }],
  ['a common word', wordAt(3), { atMost: 15 }],
  ['two common words', `${wordAt(0)} ${wordAt(3)}`, { atMost: 15 }],
  ['a typo', SWAPPED, { atMost: 40 }],
  ['two typos', SWAPPED.slice(0, -2) + SWAPPED.slice(-1), { atMost: 40 }],
  ['a common beginning', wordAt(300).slice(0, 4), { atMost: 40 }],
  ['a beginning', RARE.slice(0, 4), { atMost: 40 }],
  ['a rare word', RARE, undefined],
  ['a word that means others', 'photography', undefined],
  ['some of three common words', `${wordAt(0)} ${wordAt(3)} xylograph`, { atMost: 40 }],
  ['two rare words that few have', `${RARE} ${wordAt(9001)}`, undefined],
  ['some of two rare words', `${RARE} xylograph`, undefined],
  ['a question', `how can i find the best ${wordAt(3)} for ${RARE}`, undefined],
  ['nothing', 'xylograph', undefined],
]

/**
 * How well search answers queries, the same on both engines. Then what it takes among many listings, in milliseconds:
 * the fastest of a few, since others share the machine.
 */
export async function searchFigures(folder: string, count: number): Promise<void> {
  const postgres = await startPostgres()
  try {
    const { DATABASE_URL: seedUrl } = await postgres.database('queries')
    const answers = await answersOf({ databaseUrl: undefined, dataDir: join(folder, 'queries') })
    const others = await answersOf({ databaseUrl: seedUrl, dataDir: join(folder, 'queries-postgres') })
    const differing = answers.filter((answer, nth) => answer !== others[nth])
    report('queries with another order on PostgreSQL', [differing.length], { atMost: 0 })
    for (const answer of differing) console.log(`    ${answer}`)
    if (count === 0) return
    await figuresOf(count, { databaseUrl: undefined, dataDir: join(folder, 'sqlite') })
    const { DATABASE_URL } = await postgres.database('search')
    await figuresOf(count, { databaseUrl: DATABASE_URL, dataDir: join(folder, 'postgres') })
  } finally {
    await postgres.stop()
  }
}

async function answersOf(settings: Parameters<typeof openStore>[0]): Promise<string[]> {
  const store = await openStore(settings)
  try {
    await fillWithSeed(store)
    return await queryFigures(store)
  } finally {
    await store.close()
  }
}

async function figuresOf(count: number, settings: Parameters<typeof openStore>[0]): Promise<void> {
  // Patient, since PostgreSQL may take long over the vacuum of a filled table.
  const store = await openStore({ ...settings, patient: true })
  try {
    await fillStore(store, count)
    heading(`Searches among ${count.toLocaleString('en')} listings on ${store.engine}, in milliseconds`)
    for (const [name, words, wanted] of SEARCHES) {
      const ask = () => search(store, { words, now: Date.now(), limit: 24 })
      report(name, await times(store, ask), wanted)
    }
    for (const words of [wordAt(0).slice(0, 2), wordAt(300).slice(0, 4), RARE]) {
      const ask = () => suggest(store, { words, now: Date.now() })
      report(`suggestions for “${words}”`, await times(store, ask), { atMost: 50 })
    }
  } finally {
    await store.close()
  }
}

async function times(store: Store, ask: () => Promise<unknown>): Promise<number[]> {
  const clock = store.engine === 'sqlite' ? cpuMs : () => performance.now()
  const rounds: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    let fastest = Number.POSITIVE_INFINITY
    for (let nth = 0; nth < SEARCHES_PER_ROUND; nth++) {
      const startedAt = clock()
      await ask()
      fastest = Math.min(fastest, clock() - startedAt)
    }
    rounds.push(fastest)
  }
  return rounds
}

/** SQLite searches in this process and waits for no one: what it uses of a processor is what it takes. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
