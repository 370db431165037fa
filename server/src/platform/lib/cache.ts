import { LRUCache } from 'lru-cache'

export interface CacheOptions<Subject, Answer> {
  /** The name under which its hits are counted. */
  name: string
  keyOf: (subject: Subject) => string
  /** How many answers to cache. The least recently used one is dropped first. */
  max: number
  /** When an answer that was read at `now` expires. An answer that has expired already is not cached. */
  untilOf: (answer: Answer, now: number) => number
}

/**
 * The options of a cache that holds at most this many entries. With `max`, lru-cache would reserve memory for all of
 * them at once, which takes a millisecond for 10,000.
 */
export const atMost = (count: number) => ({ maxSize: count, sizeCalculation: () => 1 })

/**
 * Caches answers while they hold, so that hot paths rarely pay for an expensive read. Concurrent callers wait for the
 * same read, and a failure is not cached.
 *
 * @returns a function of a subject, the time, and the version of what is read: only answers that were
 * read at this version are used
 */
export function cached<Subject, Answer>(
  read: (subject: Subject, now: number) => Promise<Answer>,
  { name, keyOf, max, untilOf }: CacheOptions<Subject, Answer>,
): (subject: Subject, now: number, state?: unknown) => Promise<Answer> {
  const cache = new LRUCache<string, { state: unknown; from: number; answer: Promise<Answer> }>(atMost(max))
  const uses = countedAs(name)
  return async (subject, now, state) => {
    const key = keyOf(subject)
    const known = cache.get(key)
    // If the clock was set back to before `from`, the answer may lack what had ended by then.
    if (known && known.state === state && now >= known.from) {
      const answer = await known.answer
      if (now < untilOf(answer, known.from)) {
        uses.hits++
        return answer
      }
    }
    uses.misses++
    const answer = read(subject, now)
    cache.set(key, { state, from: now, answer })
    const drop = () => void (cache.peek(key)?.answer === answer && cache.delete(key))
    answer.then(it => untilOf(it, now) <= now && drop(), drop)
    return answer
  }
}

interface CacheUses {
  hits: number
  misses: number
}

const USES = new Map<string, CacheUses>()

/** Returns the hits and misses of this process's caches, by name. */
export const cacheUses = (): Iterable<[string, Readonly<CacheUses>]> => USES

/** Returns where a cache counts its hits and misses. */
export function countedAs(name: string): CacheUses {
  const uses = USES.get(name) ?? { hits: 0, misses: 0 }
  USES.set(name, uses)
  return uses
}
