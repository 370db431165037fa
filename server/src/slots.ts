export interface SlotLimits {
  atOnceMax: number
  waitersMax: number
  waitMs: number
}

export interface Slots {
  /**
   * Waits for a turn under `key`, which without one is nobody else's. Answers the function that gives the turn back, or
   * undefined when the wait is too long or too many wait already.
   */
  enter(key?: Key): Promise<(() => void) | undefined>
}

type Key = string | symbol

interface Waiter {
  key: Key
  admit(leave: (() => void) | undefined): void
}

/** Lets `atOnceMax` in at one time, but only one of each key; the others wait in line, a blocked key blocks no other. */
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
    async enter(key = Symbol()) {
      if (isFree(key)) return occupy(key)
      return waiters.size < waitersMax ? await waitInLine(key) : undefined
    },
  }
}
