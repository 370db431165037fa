import type { Use } from './metrics/measured.ts'

export interface SlotLimits {
  atOnceMax: number
  waitersMax: number
  waitMs: number
}

export interface Slots {
  /**
   * Waits for a turn under `key`; without one, no other waiter shares it. Resolves to a function that gives the turn
   * back, or undefined if the wait is too long or too many are already waiting.
   */
  enter(key?: Key): Promise<(() => void) | undefined>
  /** Who has a turn, and who waits for one. */
  use(): Use
}

type Key = string | symbol

interface Waiter {
  key: Key
  admit(leave: (() => void) | undefined): void
}

/** Lets in `atOnceMax` at a time, but only one per key. The others queue; a blocked key blocks no other. */
export function createSlots({ atOnceMax, waitersMax, waitMs }: SlotLimits): Slots {
  const busy = new Set<Key>()
  const waiters = new Set<Waiter>()

  const isFree = (key: Key) => busy.size < atOnceMax && !busy.has(key)

  function occupy(key: Key): () => void {
    busy.add(key)
    return () => {
      busy.delete(key)
      for (const waiter of waiters) {
        if (isFree(waiter.key)) waiter.admit(occupy(waiter.key))
      }
    }
  }

  function waitInLine(key: Key): Promise<(() => void) | undefined> {
    return new Promise(resolve => {
      const waiter: Waiter = {
        key,
        admit(leave) {
          clearTimeout(timer)
          waiters.delete(waiter)
          resolve(leave)
        },
      }
      const timer = setTimeout(() => waiter.admit(undefined), waitMs)
      waiters.add(waiter)
    })
  }

  return {
    use: () => ({ busy: busy.size, waiting: waiters.size }),
    async enter(key = Symbol()) {
      if (isFree(key)) return occupy(key)
      return waiters.size < waitersMax ? await waitInLine(key) : undefined
    },
  }
}
