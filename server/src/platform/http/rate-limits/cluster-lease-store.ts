import type { Ask, Book, Lease } from './lease-store.ts'

/** From a worker to its primary, and back. */
export interface AskMessage {
  asks: readonly Ask[]
  id: number
}
export interface LeaseMessage {
  leases: readonly Lease[]
  id: number
}

/** The shared counter of this process's primary, over the channel between the two. */
export class ThroughPrimary implements Book {
  readonly #waiting = new Map<number, (leases: readonly Lease[]) => void>()
  #last = 0

  constructor() {
    process.on('message', ({ leases, id }: Partial<LeaseMessage>) => {
      if (!leases || id === undefined) return
      this.#waiting.get(id)?.(leases)
      this.#waiting.delete(id)
    })
  }

  lease(asks: readonly Ask[]): Promise<readonly Lease[]> {
    const id = ++this.#last
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, resolve)
      process.send?.({ asks, id } satisfies AskMessage, undefined, undefined, error => {
        if (!error) return
        this.#waiting.delete(id)
        reject(error)
      })
    })
  }
}
