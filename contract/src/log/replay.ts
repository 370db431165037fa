/** The boards and draws that follow from the entries of a log, and from nothing else. */
import type { LogEntry } from './entry.ts'
import { type SavedSeedSizes, SeedSizes } from './seed-sizes.ts'
import { type Total, Totals } from './totals.ts'

/**
 * How much earlier than the entries before it an entry may be dated. It allows for differences between clocks, and for
 * the time that decisions take.
 */
export const LATE_MAX_MS = 5 * 60_000

/** A place on a board. */
export interface Standing extends Total {
  listing: number
  shown: boolean
}

/** What `save` returns: JSON from which a replay continues. */
export interface SavedReplay {
  size: number
  beganAt: string
  origin: string
  replayed: boolean
  lostSize: number
  keys: string[]
  /** Listings that are off the boards. */
  hidden: number[]
  /** Of each board: listing, total and time, one after the other. */
  boards: Record<string, number[]>
  draws: Record<string, number[]>
  seedSizes: SavedSeedSizes
  notBefore: string
}

/** What the sign of the change must be for each kind of effect on a board. */
const SIGNS: Record<string, (changeCents: number) => boolean> = {
  counted: change => change >= 0,
  won_back: change => change >= 0,
  refunded: change => change <= 0,
  disputed: change => change <= 0,
  placed: change => change === 0,
  left: change => change === 0,
}

export class Replay {
  #size = 0
  #beganAt = ''
  #origin = ''
  #replayed = false
  #lostSize = 0
  /** The first is that of the first entry. */
  readonly #keys: string[] = []
  readonly #hidden = new Set<number>()
  readonly #boards = new Map<string, Totals>()
  readonly #draws = new Map<string, number[]>()
  #seedSizes = new SeedSizes()
  #lastNotBefore = ''
  #setBack: number | undefined

  /** Continues a replay that was saved. */
  static load(saved: SavedReplay): Replay {
    const replay = new Replay()
    replay.#size = saved.size
    replay.#beganAt = saved.beganAt
    replay.#origin = saved.origin
    replay.#replayed = saved.replayed
    replay.#lostSize = saved.lostSize
    replay.#keys.push(...saved.keys)
    for (const listing of saved.hidden) replay.#hidden.add(listing)
    for (const [board, flat] of Object.entries(saved.boards)) {
      const totals = new Totals()
      for (let at = 0; at < flat.length; at += 3) {
        totals.set(flat[at] as number, { totalCents: flat[at + 1] as number, reachedAt: flat[at + 2] as number })
      }
      replay.#boards.set(board, totals)
    }
    for (const [day, listings] of Object.entries(saved.draws)) replay.#draws.set(day, [...listings])
    replay.#seedSizes = new SeedSizes(saved.seedSizes)
    replay.#lastNotBefore = saved.notBefore ?? ''
    return replay
  }

  save(): SavedReplay {
    const flat = (totals: Totals) => {
      const numbers: number[] = []
      for (const [listing, { totalCents, reachedAt }] of totals) numbers.push(listing, totalCents, reachedAt)
      return numbers
    }
    const boards = {}
    // Computed when it is read: all boards at once take tens of megabytes.
    for (const [board, totals] of this.#boards) {
      Object.defineProperty(boards, board, { enumerable: true, get: () => flat(totals) })
    }
    return {
      size: this.#size,
      beganAt: this.#beganAt,
      origin: this.#origin,
      replayed: this.#replayed,
      lostSize: this.#lostSize,
      keys: [...this.#keys],
      hidden: [...this.#hidden],
      boards,
      draws: Object.fromEntries(this.#draws),
      seedSizes: this.#seedSizes.save(),
      notBefore: this.#lastNotBefore,
    }
  }

  /** How many entries were added. */
  get size(): number {
    return this.#size
  }

  /** The time of the first entry. */
  get beganAt(): string {
    return this.#beganAt
  }

  /** The name of the log, which `recovered` changes. */
  get origin(): string {
    return this.#origin
  }

  /** Whether the site is older than its log. */
  get replayed(): boolean {
    return this.#replayed
  }

  /** How many entries the log had published when it broke. 0 if it never did. */
  get lostSize(): number {
    return this.#lostSize
  }

  /** The keys that may sign the log, by its own entries. */
  get keys(): readonly string[] {
    return this.#keys
  }

  /** The first entry before which the log's clock was set back by more than `LATE_MAX_MS`. */
  get clockSetBack(): number | undefined {
    return this.#setBack
  }

  /** Adds the next entry. Throws a sentence if it cannot follow those before it. */
  add(entry: LogEntry): void {
    const { index, kind, time, notBefore } = entry
    const wrong = (why: string) => new Error(`Entry ${this.#size} of the log ${why}.`)
    if (index !== this.#size) throw wrong(`says that it is entry ${index}`)
    if ((kind === 'began') !== (index === 0)) {
      throw wrong(index === 0 ? 'is not the beginning of a log' : 'begins a log within a log')
    }
    if (notBefore !== undefined) {
      if (Date.parse(time) < Date.parse(notBefore) - LATE_MAX_MS) {
        throw wrong(`was inserted later: it is dated ${time}, but did not exist yet at ${notBefore}`)
      }
      if (Date.parse(notBefore) < Date.parse(this.#lastNotBefore) - LATE_MAX_MS) this.#setBack ??= index
      this.#lastNotBefore = notBefore
    } else if (this.#lastNotBefore !== '') {
      throw wrong('has no notBefore, so it may have been inserted later')
    }
    const fault = this.#apply(entry)
    if (fault) throw wrong(fault)
    this.#size++
    this.#seedSizes.add(time, this.#size)
  }

  #apply(entry: LogEntry): string | undefined {
    const { kind, time, origin, vkey } = entry
    if (kind === 'began') this.#beganAt = time
    if (kind === 'drawn') return this.#draw(entry)
    if (Object.hasOwn(SIGNS, kind)) return this.#count(entry)
    if (origin !== undefined) this.#origin = origin
    if (entry.replayed !== undefined) this.#replayed = entry.replayed
    if (entry.lostSize !== undefined) this.#lostSize = Math.max(this.#lostSize, entry.lostSize)
    if (vkey !== undefined && !this.#keys.includes(vkey)) this.#keys.push(vkey)
    return undefined
  }

  #count({ kind, board = '', listing = 0, changeCents = 0, totalCents = 0, reachedAt, shown }: LogEntry) {
    const totals = this.#boards.get(board) ?? new Totals()
    const before = totals.get(listing)?.totalCents ?? 0
    if (!SIGNS[kind]?.(changeCents)) return `is of the kind ${kind}, but changes a total by ${changeCents} cents`
    if (totalCents !== before + changeCents) {
      return `says that listing ${listing} has ${totalCents} cents on the board ${board}, but it had ${before}, and the change is ${changeCents}`
    }
    if ((reachedAt === undefined) !== (totalCents === 0)) {
      return `has a total of ${totalCents} cents ${reachedAt === undefined ? 'that was never reached' : 'that was reached'}`
    }
    totals.set(listing, { totalCents, reachedAt: reachedAt === undefined ? 0 : Date.parse(reachedAt) })
    this.#boards.set(board, totals)
    // Pages of past days leave out what is hidden on the board of all time.
    if (board === 'all' && shown) this.#hidden.delete(listing)
    if (board === 'all' && !shown) this.#hidden.add(listing)
    return undefined
  }

  #draw({ board = '', listing = 0, place = 0 }: LogEntry): string | undefined {
    const drawn = this.#draws.get(board) ?? []
    if (place !== drawn.length + 1) return `says place ${place} in the draw of ${board}, after ${drawn.length} others`
    if (drawn.includes(listing)) return `draws listing ${listing} a second time on ${board}`
    if (place === 1) this.#seedSizes.addDraw(board)
    this.#draws.set(board, [...drawn, listing])
    return undefined
  }

  /**
   * Returns what is wrong with the size of the log that a draw names. Undefined if nothing is.
   *
   * @param size null if the draw claims to be older than the log
   */
  seedFault(day: string, size: number | null): string | undefined {
    if (size !== null) return this.#seedSizes.faultOf(day, size)
    if (this.#replayed && day <= this.#beganAt.slice(0, 10)) return undefined
    return `The draw of ${day} names no size of the log, but the log is older than the draw.`
  }

  /** Returns whether a listing has its places, by the last entry on the board of all time. */
  isShown(listing: number): boolean {
    return !this.#hidden.has(listing)
  }

  /** Returns the money of a listing on a board, if there is any. */
  standing(key: string, listing: number): Standing | undefined {
    const total = this.#boards.get(key)?.get(listing)
    return total && { listing, ...total, shown: this.isShown(listing) }
  }

  /** Returns the listings with money on a board, in the order of the board: those that are not shown, too. */
  board(key: string): Standing[] {
    const standings: Standing[] = []
    for (const [listing, { totalCents, reachedAt }] of this.#boards.get(key) ?? []) {
      standings.push({ listing, totalCents, reachedAt, shown: this.isShown(listing) })
    }
    return standings.sort((one, other) => other.totalCents - one.totalCents || one.reachedAt - other.reachedAt)
  }

  /** Returns the days on which money counted, the first day first. */
  days(): string[] {
    return [...this.#boards.keys()].filter(board => board !== 'all').sort()
  }

  /** Returns the listings drawn on each day, by place. */
  draws(): ReadonlyMap<string, readonly number[]> {
    return this.#draws
  }
}
