import { LRUCache } from 'lru-cache'

interface Kept<Subject> {
  /** Under which its hits are counted. */
  name?: string
  /** How long an answer is kept, in milliseconds. */
  forMs: number
  keyOf: (subject: Subject) => string
  /** How many answers are kept: the one used least recently is dropped first. */
  max: number
}

/**
 * Keeps answers for a while, so that a hot path reads what is dear only now and then. Whoever asks during a read waits
 * for it, and a failure is not kept.
 *
 * @returns how to ask, at a time in Unix milliseconds
 */
export function remembered<Subject, Answer>(
  read: (subject: Subject, now: number) => Promise<Answer>,
  { name, forMs, keyOf, max }: Kept<Subject>,
): (subject: Subject, now: number) => Promise<Answer> {
  // The age is checked here: the cache's own would keep an answer too long after the clock was set back.
  const answers = new LRUCache<string, { at: number; answer: Promise<Answer> }>({ max })
  const used = name === undefined ? newUses() : countedAs(name)
  return (subject, now) => {
    const key = keyOf(subject)
    const known = answers.get(key)
    if (known && now >= known.at && now < known.at + forMs) {
      used.hits++
      return known.answer
    }
    used.misses++
    const answer = read(subject, now)
    answers.set(key, { at: now, answer })
    answer.catch(() => {
      if (answers.peek(key)?.answer === answer) answers.delete(key)
    })
    return answer
  }
}

interface CacheUses {
  hits: number
  misses: number
}

const newUses = (): CacheUses => ({ hits: 0, misses: 0 })

const USES = new Map<string, CacheUses>()

/** How often the caches of this process were of use, by name. */
export const cacheUses = (): Iterable<[string, Readonly<CacheUses>]> => USES

/** Where a cache counts its hits and misses. */
export function countedAs(name: string): CacheUses {
  const uses = USES.get(name) ?? newUses()
  USES.set(name, uses)
  return uses
}
