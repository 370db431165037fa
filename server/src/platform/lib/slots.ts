import type { Use } from './diagnostics.ts'

export interface SlotLimits {
  atOnceMax: number
  waitersMax: number
  waitMs: number
  /** Slots for networks within their share only, so that one network never occupies all of them. */
  reserved?: number
}

export interface SlotRequest {
  /** Only one request per key holds a slot. A request without a key excludes no other. */
  key?: string
  /** The networks of the client, broadest first (`platform/http/client-address.ts`); none for the service's own work. */
  networks?: readonly string[] | undefined
}

export interface Slots {
  /**
   * Waits for a slot. Resolves to a function that releases the slot, or undefined if the wait is too long or too many
   * are waiting.
   */
  acquire(request?: SlotRequest): Promise<(() => void) | undefined>
  /** How many hold a slot, and how many wait for one. */
  use(): Use
}

/** What one network holds and wants. */
interface Load {
  held: number
  waiting: number
  /** When it last got a slot, as a number that only grows. A new network counts from its arrival. */
  turn: number
}

interface Waiter {
  key: string | symbol
  networks: readonly string[]
  settle(release: (() => void) | undefined): void
}

/** One network holds at most this part of the slots while others wait. */
const SHARE_PARTS = 4

/**
 * Shares `atOnceMax` slots fairly among networks. A network may hold more than a quarter only while no other network
 * wants a slot. Waiting networks take turns, however many requests each has. If too many are waiting, the network with
 * the most of them loses its newest to a network with fewer.
 */
export function createSlots({ atOnceMax, waitersMax, waitMs, reserved = 0 }: SlotLimits): Slots {
  const shareMax = Math.max(1, Math.floor(atOnceMax / SHARE_PARTS))
  const busy = new Set<Waiter['key']>()
  const waiters = new Set<Waiter>()
  const loads = new Map<string, Load>()
  let lastTurn = 0

  const loadOf = (network: string): Load => {
    const load = loads.get(network) ?? { held: 0, waiting: 0, turn: lastTurn }
    loads.set(network, load)
    return load
  }

  function change(networks: readonly string[], by: (load: Load) => void): void {
    for (const network of networks) {
      const load = loadOf(network)
      by(load)
      if (load.held + load.waiting === 0) loads.delete(network)
    }
  }

  const isOverShare = ({ networks }: Pick<Waiter, 'networks'>) =>
    networks.some(network => (loads.get(network)?.held ?? 0) >= shareMax)

  const canAcquire = (waiter: Pick<Waiter, 'key' | 'networks'>) =>
    busy.size < atOnceMax - (isOverShare(waiter) ? reserved : 0) && !busy.has(waiter.key)

  /** Lowest first: within the share before over it, then the network that has waited longest. */
  const precedence = (waiter: Waiter) => [
    Number(isOverShare(waiter)),
    ...waiter.networks.map(network => loadOf(network).turn),
  ]

  /** How many are waiting, from the broadest network to the narrowest. */
  const crowd = (networks: readonly string[]) => networks.map(network => loads.get(network)?.waiting ?? 0)

  function occupy({ key, networks }: Pick<Waiter, 'key' | 'networks'>): () => void {
    busy.add(key)
    const turn = ++lastTurn
    change(networks, load => {
      load.held++
      load.turn = turn
    })
    return () => {
      busy.delete(key)
      change(networks, load => load.held--)
      for (let next = first(); next; next = first()) next.settle(occupy(next))
    }
  }

  function first(): Waiter | undefined {
    if (busy.size >= atOnceMax) return undefined
    return least([...waiters].filter(canAcquire), precedence)
  }

  /** Removes a waiter for a newcomer. @returns whether there is room now */
  function makeRoom(networks: readonly string[]): boolean {
    if (waiters.size < waitersMax) return true
    // Of equal waiters, the last one is the newest.
    const crowded = least([...waiters].toReversed(), waiter => crowd(waiter.networks).map(count => -count))
    const own = crowd(networks).map(count => count + 1)
    if (!crowded || compare(crowd(crowded.networks), own) <= 0) return false
    crowded.settle(undefined)
    return true
  }

  function waitInLine(key: Waiter['key'], networks: readonly string[]): Promise<(() => void) | undefined> {
    return new Promise(resolve => {
      const waiter: Waiter = {
        key,
        networks,
        settle(release) {
          clearTimeout(timer)
          waiters.delete(waiter)
          change(networks, load => load.waiting--)
          resolve(release)
        },
      }
      const timer = setTimeout(() => waiter.settle(undefined), waitMs)
      waiters.add(waiter)
      change(networks, load => load.waiting++)
    })
  }

  return {
    use: () => ({ busy: busy.size, waiting: waiters.size }),
    async acquire({ key, networks = [] } = {}) {
      const request = { key: key ?? Symbol(), networks }
      if (canAcquire(request)) return occupy(request)
      return makeRoom(networks) ? await waitInLine(request.key, networks) : undefined
    },
  }
}

/** The first of those with the lowest rank. */
function least<T>(all: readonly T[], rankOf: (one: T) => readonly number[]): T | undefined {
  let best: { one: T; rank: readonly number[] } | undefined
  for (const one of all) {
    const rank = rankOf(one)
    if (!best || compare(rank, best.rank) < 0) best = { one, rank }
  }
  return best?.one
}

/** Compares number by number. If one list ends first, the rest of the other does not count. */
function compare(a: readonly number[], b: readonly number[]): number {
  for (const [index, number] of a.entries()) {
    const difference = number - (b[index] ?? number)
    if (difference !== 0) return difference
  }
  return 0
}

/** Runs tasks one after another, in order of arrival. */
export class OneAtATime {
  #last: Promise<unknown> = Promise.resolve()

  do<Done>(work: () => Promise<Done>): Promise<Done> {
    const done = this.#last.then(work)
    this.#last = done.catch(() => {})
    return done
  }
}
