import { readFileSync } from 'node:fs'
import { CATEGORIES } from '@placard/contract'
import { WEBSITES } from '../examples/seed/listings.ts'
import { search } from '../server/dist/domain/listings/search.js'
import { searchText } from '../server/dist/domain/search/entries.js'
import { addToVocabulary } from '../server/dist/domain/search/vocabulary.js'
import type { Store } from '../server/dist/platform/db/store.js'
import { heading, report } from './measure.ts'

/** A line of `queries.txt`. */
interface Query {
  kind: string
  words: string
  /** The hosts that answer it; none if nothing does. */
  hosts: readonly string[]
}

const DAY_MS = 24 * 60 * 60 * 1000
/** Results further down count as not found. */
const READ_MAX = 10

/** The lines of `queries.txt`, or of another file in its format. */
function readQueries(): Query[] {
  const file = process.env.QUERIES ?? new URL('queries.txt', import.meta.url)
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines
    .filter(line => line !== '' && !line.startsWith('#'))
    .map(line => {
      const [kind = '', words = '', answer = ''] = line.split(' | ')
      return { kind, words, hosts: hostsOf(answer, line) }
    })
}

function hostsOf(answer: string, line: string): string[] {
  if (answer === '-') return []
  const category = CATEGORIES.find(each => answer === `[${each}]`)
  const hosts = WEBSITES.map(({ host }) => host).filter(host => answer.split(', ').includes(host))
  const found = category ? WEBSITES.filter(website => website.category === category).map(({ host }) => host) : hosts
  if (found.length === 0) throw new Error(`No listing of the seed answers “${line}”`)
  return found
}

/** Fills an empty store with the listings of the seed, and nothing else. */
export async function fillWithSeed(store: Store): Promise<void> {
  const now = Date.now()
  await store.transact(async trx => {
    for (const [nth, { host, kind: _, ...website }] of WEBSITES.entries()) {
      const text = searchText({ ...website, hostname: host })
      const publishedAt = now - (WEBSITES.length - nth) * (DAY_MS / 4)
      const address = { slug: host.replace(/\W/g, '-'), destinationKey: `2:${host}`, url: `https://${host}/` }
      const row = { ...website, ...address, hostname: host, siteName: '', searchText: text, publishedAt }
      await trx
        .insertInto('listing')
        .values({ ...row, expiresAt: null })
        .execute()
      await addToVocabulary(trx, text)
    }
  })
}

/**
 * Prints how well search answers the queries, and what it answers badly if `QUERIES_SHOW` is set.
 *
 * @returns the hosts it found for each query, to compare engines
 */
export async function queryFigures(store: Store): Promise<string[]> {
  const answers: { query: Query; found: string[]; rank: number }[] = []
  for (const query of readQueries()) {
    const { rows } = await search(store, { words: query.words, now: Date.now(), limit: READ_MAX })
    const found = rows.map(({ hostname }) => hostname)
    const rank = found.findIndex(host => query.hosts.includes(host)) + 1
    answers.push({ query, found, rank })
  }
  const asked = answers.filter(({ query }) => query.hosts.length > 0)
  const share = (of: typeof answers, worth: (rank: number) => number) =>
    of.reduce((sum, { rank }) => sum + (rank > 0 ? worth(rank) : 0), 0) / of.length
  const within = (most: number) => (rank: number) => (rank <= most ? 1 : 0)
  const noisy = answers.filter(({ query, found }) => query.hosts.length === 0 && found.length > 0)
  heading(`What search finds for ${asked.length} queries among ${WEBSITES.length} listings on ${store.engine}`)
  const meanReciprocal = share(asked, rank => 1 / rank)
  report('mean reciprocal rank', [meanReciprocal], { atLeast: 0.85 })
  report('success at 1', [share(asked, within(1))], { atLeast: 0.8 })
  report('success at 3', [share(asked, within(3))], { atLeast: 0.92 })
  report(`answered of ${answers.length - asked.length} that nothing answers`, [noisy.length], { atMost: 0 })
  for (const kind of new Set(asked.map(({ query }) => query.kind))) {
    const ofKind = asked.filter(({ query }) => query.kind === kind)
    const [first, third] = [1, 3].map(most => share(ofKind, within(most)).toFixed(2))
    console.log(`        ${kind}: ${first} at 1, ${third} at 3, of ${ofKind.length}`)
  }
  if (process.env.QUERIES_SHOW) {
    for (const { query, found, rank } of [...noisy, ...asked.filter(answer => answer.rank !== 1)]) {
      console.log(`    ${rank || '-'} ${query.kind}: ${query.words} → ${found.slice(0, 4).join(', ')}`)
    }
  }
  return answers.map(({ query, found }) => `${query.words} → ${found.join(', ')}`)
}
