import { longRead, type Runner } from '../../platform/db/store.ts'
import { nameEntries } from '../search/entries.ts'
import { isSolid, runsOf, writtenTogether } from '../search/fold.ts'
import { exactly, startingWith, wordsOf } from '../search/query.ts'
import { scorer } from '../search/score.ts'
import { asPublic, type PublicRow } from './public-listing.ts'
import { matchAll } from './search-index.ts'

interface Typed {
  /** The text typed so far. */
  words: string
  now: number
}

/** A listing that the typed words may mean. */
export type Suggestion = Pick<PublicRow, 'slug' | 'title' | 'hostname'>

const SUGGESTED_MAX = 5
/** How many listings are read to get these, because a match may be in the category only. */
const READ_MAX = 20
/** How many matches are compared: the newest. */
const COMPARED_MAX = 100
/** Too many words begin with a single letter. */
const TYPED_MIN_LENGTH = 2

/**
 * Finds the first listings whose title or host name has the typed words, the last of which may be unfinished. It
 * corrects nothing and reads a fixed number of rows, so that it can run while someone types.
 */
export const suggest = longRead(
  'suggest',
  async (runner: Runner, { words, now }: Typed): Promise<Suggestion[]> => {
    const typed = wordsOf(words)
    if (typed.join('').length < TYPED_MIN_LENGTH) return []
    const query = typed.map((word, place) => (place === typed.length - 1 ? startingWith(word) : exactly(word)))
    const found = new Map<number, string>()
    for (const where of ['title', 'anywhere'] as const) {
      const rows = await matchAll(runner, { now }, query, where, COMPARED_MAX)
      for (const { id, searchText } of rows) found.set(id, searchText)
    }
    const score = scorer(query)
    const best = [...found]
      .map(([id, searchText]) => ({ id, score: score(nameEntries(searchText)) }))
      .sort((one, other) => other.score - one.score || other.id - one.id)
      .slice(0, READ_MAX)
    return (await asPublic(runner, best))
      .filter(({ title, hostname }) => isNamed(`${title} ${hostname}`, typed))
      .slice(0, SUGGESTED_MAX)
      .map(({ slug, title, hostname }) => ({ slug, title, hostname }))
  },
  'search',
)

/** Whether each typed word is the beginning of a word of a name, or is inside a run without blanks. */
function isNamed(name: string, typed: readonly string[]): boolean {
  const runs = runsOf(`${name} ${writtenTogether(name)}`)
  return typed.every(word => runs.some(run => (isSolid(run) ? run.includes(word) : run.startsWith(word))))
}
