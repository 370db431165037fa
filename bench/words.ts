import { WEBSITES } from '../examples/seed/listings.ts'
import { randomFrom } from '../examples/seed/random.ts'
import { ANSWERS } from '../server/dist/domain/search/answers.js'
import { runsOf } from '../server/dist/domain/search/fold.js'
import { MEANINGS } from '../server/dist/domain/search/meanings.js'
import { isDistinctive } from '../server/dist/domain/search/weak-words.js'
import type { Words } from './fill.ts'

/** How many words the descriptions have. A name of a website is one more. */
const WORDS = 60_000
const NAME_PART = /^[a-z]{3,9}$/

/**
 * Words of the seed in the order of their frequency there, the words that our tables of meanings list, and longer ones
 * made of two of those, as names and compounds are. So beginnings, parts and meanings are as common as among real
 * listings, and the commonest words say little, as “the” does.
 */
function realWords(): Words & { all: readonly string[] } {
  const counts = new Map<string, number>()
  for (const { title, description } of WEBSITES) {
    for (const run of runsOf(`${title} ${description}`)) counts.set(run, (counts.get(run) ?? 0) + 1)
  }
  const said = [...counts].sort(([, one], [, other]) => other - one).map(([word]) => word)
  const random = randomFrom('words').next
  const listed = runsOf(MEANINGS + ANSWERS)
  const known = [...new Set([...said, ...listed])]
  const parts = known.filter(word => NAME_PART.test(word) && isDistinctive(word))
  const all = new Set(known)
  while (all.size < WORDS) all.add(pick(parts, random()) + pick(parts, random()))
  const words = [...all]
  return {
    all: words,
    wordOf: share => words[Math.floor(WORDS ** share - 1)] as string,
    // Each pair of parts once, in an order that puts no similar ones together. Where one pair reads like another, the
    // length of its first part differs, and so the end does.
    hostOf: index => {
      const place = (index * STEP) % parts.length ** 2
      const first = parts[place % parts.length] as string
      return `${first}${parts[Math.floor(place / parts.length)]}.${ENDS[first.length % ENDS.length]}`
    },
  }
}

const ENDS = ['com', 'org', 'net', 'app', 'dev', 'eu', 'io']
/** A prime, so that no host comes twice. */
const STEP = 7_368_787

const pick = (from: readonly string[], share: number) => from[Math.floor(from.length * share)] as string

export const REAL_WORDS = realWords()
