import { LRUCache } from 'lru-cache'

interface Kept<Subject> {
  /** The name under which its hits are counted. */
  name?: string
  /** How long an answer is kept, in milliseconds. */
  forMs: number
  keyOf: (subject: Subject) => string
  /** The maximum number of answers. The one used least recently is dropped first. */
  max: number
}

/**
 * Caches answers for a while, so that hot paths rarely pay for an expensive read. Concurrent callers wait for the same
 * read, and a failure is not cached.
 *
 * @returns a function of a subject and a time in Unix milliseconds
 */
export function remembered<Subject, Answer>(
  read: (subject: Subject, now: number) => Promise<Answer>,
  { name, forMs, keyOf, max }: Kept<Subject>,
): (subject: Subject, now: number) => Promise<Answer> {
  // The age is checked here, because the cache's own check would keep an answer too long after the clock was set back.
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

/** Returns the hits and misses of this process's caches, by name. */
export const cacheUses = (): Iterable<[string, Readonly<CacheUses>]> => USES

/** Returns where a cache counts its hits and misses. */
export function countedAs(name: string): CacheUses {
  const uses = USES.get(name) ?? newUses()
  USES.set(name, uses)
  return uses
}
