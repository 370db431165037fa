import { LRUCache } from 'lru-cache'

export interface Kept<Subject, Answer> {
  /** The name under which its hits are counted. */
  name: string
  keyOf: (subject: Subject) => string
  /** The maximum number of answers. The one used least recently is dropped first. */
  max: number
  /** Until when an answer holds that was read at `now`. If that has passed, it is not kept. */
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
 * @returns a function of a subject, a time, and the state of what is read: only answers that were
 * read in this state are used
 */
export function remembered<Subject, Answer>(
  read: (subject: Subject, now: number) => Promise<Answer>,
  { name, keyOf, max, untilOf }: Kept<Subject, Answer>,
): (subject: Subject, now: number, state?: unknown) => Promise<Answer> {
  const kept = new LRUCache<string, { state: unknown; from: number; answer: Promise<Answer> }>(atMost(max))
  const used = countedAs(name)
  return async (subject, now, state) => {
    const key = keyOf(subject)
    const known = kept.get(key)
    // Before `from`, after the clock was set back, the answer may lack what had not ended yet.
    if (known && known.state === state && now >= known.from) {
      const answer = await known.answer
      if (now < untilOf(answer, known.from)) {
        used.hits++
        return answer
      }
    }
    used.misses++
    const answer = read(subject, now)
    kept.set(key, { state, from: now, answer })
    const drop = () => void (kept.peek(key)?.answer === answer && kept.delete(key))
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
