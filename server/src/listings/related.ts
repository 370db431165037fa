import { sql } from 'kysely'
import { remembered } from '../remembered.ts'
import { TITLE } from '../search/entries.ts'
import { isSolid, runsOf } from '../search/fold.ts'
import { ofListing, type QueryWord } from '../search/query.ts'
import { wordsOf } from '../search/typed.ts'
import { statement } from '../storage/statement.ts'
import type { Store } from '../storage/store.ts'
import type { Product } from './product.ts'
import { sharingWords } from './search-matches.ts'
import { itsPicture, type Shown, shownColumns } from './shown.ts'

type Told = Pick<Product, 'id' | 'category' | 'title' | 'description' | 'language'>

/** How many are told. */
const RELATED_MAX = 4
/** So many that share a word are weighed against each other: those listed last. */
const WEIGHED_MAX = 30
/** The longest words say the most. In scripts without blanks, the first ones. */
const [WORDS_MAX, PIECES_MAX, WORD_MIN_LENGTH] = [4, 4, 4]

const KEPT_MS = 10 * 60_000
const KEPT_MAX = 10_000

/**
 * Published listings of the same category with the most words in common, the rarer the better. Which ones is found out
 * by the index of search, and remembered for ten minutes; whether they are still on show is looked up each time.
 *
 * @returns how to ask, at a time in Unix milliseconds
 */
export function relatedListings(store: Store): (listing: Told, now: number) => Promise<Shown[]> {
  const idsOf = remembered((listing: Told, now) => findIds(store, listing, now), {
    forMs: KEPT_MS,
    keyOf: ({ id, category, title, description }) => JSON.stringify([id, category, title, description]),
    max: KEPT_MAX,
  })
  return async (listing, now) => {
    const ids = await idsOf(listing, now)
    if (ids.length === 0) return []
    const [a = 0, b = 0, c = 0, d = 0] = ids
    const rows = await onShow(store, { a, b, c, d, category: listing.category, now })
    return rows.toSorted((one, other) => ids.indexOf(one.id) - ids.indexOf(other.id))
  }
}

async function findIds(store: Store, listing: Told, now: number): Promise<number[]> {
  const words = tellingWords(listing).map(word => ofListing(word, listing.language))
  if (words.length === 0) return []
  const narrowed = { category: listing.category, now }
  // One more, since it shares all words with itself.
  const found = await sharingWords(store, narrowed, words, WEIGHED_MAX + 1)
  const others = found
    .filter(({ id }) => id !== listing.id)
    .map(({ id, searchText }) => ({ id, entries: new Set(searchText.split(' ')) }))
  const scores = words.map(word => others.map(({ entries }) => shares(entries, word)))
  const rarities = scores.map(ofWord =>
    Math.log(1 + others.length / ofWord.filter(score => score > 0).length),
  )
  return others
    .map(({ id }, index) => ({
      id,
      score: scores.reduce(
        (sum, ofWord, word) => sum + (ofWord[index] ? ofWord[index] * (rarities[word] ?? 0) : 0),
        0,
      ),
    }))
    .sort((one, other) => other.score - one.score || other.id - one.id)
    .slice(0, RELATED_MAX)
    .map(({ id }) => id)
}

/** In a title, a word counts for more. */
const TITLE_WEIGHT = 3

/** How much a word counts among the entries of a listing; 0 if it is not there. */
const shares = (entries: ReadonlySet<string>, { variants }: QueryWord): number =>
  Math.max(
    ...variants.map(({ entry, quality }) => {
      if (entries.has(TITLE + entry)) return TITLE_WEIGHT * quality
      return entries.has(entry) ? quality : 0
    }),
  )

function tellingWords({ title, description }: Told): string[] {
  const runs = [...new Set(runsOf(`${title} ${description}`))]
  const words = runs.filter(run => !isSolid(run) && run.length >= WORD_MIN_LENGTH)
  const pieces = new Set(runs.filter(isSolid).flatMap(run => wordsOf(run)))
  return [
    ...words.toSorted((one, other) => other.length - one.length).slice(0, WORDS_MAX),
    ...[...pieces].slice(0, PIECES_MAX),
  ]
}

const onShow = statement(
  { a: 'bigint', b: 'bigint', c: 'bigint', d: 'bigint', category: 'text', now: 'bigint' },
  ({ a, b, c, d, category, now }) => sql<Shown>`
    select ${shownColumns} from listing ${itsPicture}
    where listing.id in (${a}, ${b}, ${c}, ${d}) and listing.category = ${category}
      and listing."hiddenAt" is null and (listing."expiresAt" is null or listing."expiresAt" > ${now})`,
)
