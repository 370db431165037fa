import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CompiledQuery } from 'kysely'
import { randomFrom } from '../examples/seed/random.ts'
import { search } from '../server/dist/domain/listings/search.js'
import { suggest } from '../server/dist/domain/listings/suggest.js'
import { isDistinctive } from '../server/dist/domain/search/weak-words.js'
import { mergeIndexes } from '../server/dist/ops/jobs/search-index.js'
import { openStore } from '../server/dist/platform/db/open.js'
import type { Store } from '../server/dist/platform/db/store.js'
import { fillStore, wordAt } from './fill.ts'
import { heading, quantile, report } from './measure.ts'
import { startPostgres } from './postgres.ts'
import { fillWithSeed, queryFigures } from './queries.ts'
import { REAL_WORDS } from './words.ts'

const [QUERIES, ROUNDS] = [60, 3]
/** Words that many listings have, and words that few have, by their places. */
const [COMMON, RARE] = [1500, 40_000]

const random = randomFrom('searches').next
const { all, hostOf } = REAL_WORDS
const distinctive = all.filter(word => isDistinctive(word) && /^[a-z]{4,}$/.test(word))
/** The commoner a word, the likelier it is searched for, too. */
const common = () => distinctive[Math.floor(COMMON ** random()) - 1] as string
const rare = () => distinctive[Math.floor(COMMON + (RARE - COMMON) * random())] as string
const name = () => hostOf(Math.floor(1e6 * random())).split('.')[0] as string

/** A word that no listing has. */
const unknown = () => wordAt(Math.floor(4000 + 40_000 * random()))

/** Two neighbours exchanged, a letter left out, or another one in its place. */
function mistype(word: string): string {
  const place = 1 + Math.floor((word.length - 2) * random())
  const [before, letter = '', next = '', after] = [
    word.slice(0, place),
    word[place],
    word[place + 1],
    word.slice(place + 2),
  ]
  return [before + next + letter + after, before + next + after, `${before}k${next}${after}`][
    Math.floor(3 * random())
  ] as string
}

const SUGGESTIONS = 'suggestions for a beginning'

/** What people search for, by kind. The commonest words say nothing, and are in most listings. */
const KINDS: Record<string, (nth: number) => string> = {
  'common words': nth => (nth < 6 ? (all[nth] as string) : nth % 3 > 0 ? common() : `${common()} ${common()}`),
  typos: nth => {
    const word = [common, rare, name][nth % 3]?.() as string
    return nth % 2 > 0 && word.length > 7 ? mistype(mistype(word)) : mistype(word)
  },
  'any word': nth =>
    [
      () => `${common()} ${common()} ${unknown()}`,
      () => `${rare()} ${unknown()}`,
      () => `how can i find the best ${common()} for ${rare()}`,
      () => `${rare()} ${rare()} ${common()}`,
    ][nth % 4]?.() as string,
  [SUGGESTIONS]: nth => common().slice(0, 2 + (nth % 3)),
}

type Database = Parameters<typeof openStore>[0]

/** How well search answers queries, the same on both engines. Then what it takes among many listings, unless `count` is 0. */
export async function searchFigures(folder: string, count: number): Promise<void> {
  const postgres = await startPostgres()
  const [sqlite, onServer] = [
    (name: string): Database => ({ databaseUrl: undefined, dataDir: join(folder, name) }),
    async (name: string): Promise<Database> => {
      const { DATABASE_URL: databaseUrl } = await postgres.database(name)
      return { databaseUrl, dataDir: join(folder, `${name}-postgres`) }
    },
  ]
  try {
    const answers = await withStore(sqlite('queries'), answersOf)
    const others = await withStore(await onServer('queries'), answersOf)
    const differing = answers.filter((answer, nth) => answer !== others[nth])
    report('queries with another order on PostgreSQL', [differing.length], { atMost: 0 })
    for (const answer of differing) console.log(`    ${answer}`)
    if (count === 0) return
    for (const database of [sqlite('many'), await onServer('many')]) {
      await withStore(database, store => figuresOf(store, count))
    }
  } finally {
    await postgres.stop()
  }
}

/** Patient, since PostgreSQL may take long over the vacuum of a filled table. */
async function withStore<T>(database: Database, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore({ ...database, patient: true })
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

async function answersOf(store: Store): Promise<string[]> {
  await fillWithSeed(store)
  return queryFigures(store)
}

/**
 * What searches use of a processor among many listings with real words, in milliseconds: this process and the server's
 * processes for its connections together. Others may use the machine meanwhile.
 */
async function figuresOf(store: Store, count: number): Promise<void> {
  await fillStore(store, count, false, REAL_WORDS)
  // As the job does once a day.
  if (store.engine === 'sqlite') await mergeIndexes(store)
  const kinds = Object.entries(KINDS).map(([kind, at]) => ({
    kind,
    queries: Array.from({ length: QUERIES }, (_, nth) => ({ words: at(nth), taken: [] as number[] })),
  }))
  for (let round = 0; round <= ROUNDS; round++) {
    for (const { kind, queries } of kinds) {
      for (const { words, taken } of queries) {
        const before = await cpuMs(store)
        const asked = { words, now: Date.now() }
        await (kind === SUGGESTIONS ? suggest(store, asked) : search(store, { ...asked, limit: 24 }))
        // The first round warms up.
        if (round > 0) taken.push((await cpuMs(store)) - before)
      }
    }
  }
  heading(`CPU time of searches among ${count.toLocaleString('en')} listings on ${store.engine}, in milliseconds`)
  for (const { kind, queries } of kinds) {
    const each = queries.map(({ words, taken }) => ({ words, ms: quantile(taken, 0.5) })).sort((a, b) => b.ms - a.ms)
    const ms = each.map(query => query.ms)
    report(`p95 of ${kind}`, [quantile(ms, 0.95)], { atMost: 30 }, `; median ${quantile(ms, 0.5).toFixed(1)}`)
    if (process.env.QUERIES_SHOW)
      for (const { words, ms } of each.slice(0, 8)) console.log(`    ${ms.toFixed(1)} ${words}`)
  }
}

/** Of this process with its threads, and of PostgreSQL's processes for its connections. */
async function cpuMs(store: Store): Promise<number> {
  const pids = store.engine === 'sqlite' ? [] : (await store.executeQuery<{ pid: number }>(ACTIVE)).rows
  const { user, system } = process.cpuUsage()
  const ofServer = pids.reduce(
    (sum, { pid }) => sum + Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]),
    0,
  )
  return (user + system) / 1000 + ofServer / 1e6
}

const ACTIVE = CompiledQuery.raw("select pid from pg_stat_activity where application_name = 'placard'")
