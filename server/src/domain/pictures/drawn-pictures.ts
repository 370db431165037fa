import { LRUCache } from 'lru-cache'
import { type Tagged, tagged } from '../../platform/http/send.ts'
import { countedAs } from '../../platform/lib/cache.ts'
import { createSlots, OneAtATime, type Slots } from '../../platform/lib/slots.ts'
import { type Drawing, drawingKey } from './drawing.ts'
import { PictureMaker } from './picture-process.ts'

interface Limits {
  keptMaxBytes: number
  /** Limit for pictures drawn in advance. Requests cannot displace them. */
  aheadMaxBytes: number
  /** The maximum number of requests that wait for a drawing. */
  waitingMax: number
}

/** Loads the stored picture of a listing that has one. Called only if there is something to draw. */
export type LoadPicture = () => Promise<Uint8Array | null>

/** Far longer than a full queue takes. */
const WAIT_MS = 15_000

/** If more are published at once, the others get their first picture when it is requested. */
const AHEAD_WAITING_MAX = 20

/** Draws pictures, one at a time, and caches them. */
export class DrawnPictures {
  /** Requests wait here. A request that leaves the queue waits at most for what is drawn in advance. */
  readonly #line: Slots
  readonly #turns = new OneAtATime()
  /** A visitor is waiting, so its priority is only a little lower than the service's. */
  readonly #maker = new PictureMaker()
  readonly #kept: LRUCache<string, Tagged>
  readonly #ahead: LRUCache<string, Tagged>
  readonly #underWay = new Map<string, Promise<Tagged | undefined>>()
  readonly #uses = countedAs('drawings')
  #aheadWaiting = 0

  constructor({ keptMaxBytes, aheadMaxBytes, waitingMax }: Limits) {
    this.#line = createSlots({ atOnceMax: 1, waitersMax: waitingMax, waitMs: WAIT_MS })
    this.#kept = picturesUpTo(keptMaxBytes)
    this.#ahead = picturesUpTo(aheadMaxBytes)
  }

  /**
   * Returns a picture, drawn or cached.
   *
   * @param networks of the client
   * @param load called before the request waits in line, so that slow storage holds up no other drawing
   * @returns undefined if too many are waiting
   * @throws Error if it cannot be drawn
   */
  async get(
    drawing: Drawing,
    networks: readonly string[],
    load: LoadPicture = async () => null,
  ): Promise<Tagged | undefined> {
    const key = drawingKey(drawing)
    const kept = this.#ahead.get(key) ?? this.#kept.get(key)
    if (kept) {
      this.#uses.hits++
      return kept
    }
    this.#uses.misses++
    const underWay = this.#underWay.get(key)
    // The first client may be refused for its network, which does not concern this one.
    const made = underWay && (await underWay)
    return made ?? this.#begin(key, async () => this.#drawInLine(key, drawing, networks, await load()))
  }

  /**
   * Draws a picture before it is requested, and caches it where requests cannot displace it. Does nothing if it is
   * already cached there, or if too many are to be drawn in advance.
   *
   * @throws Error if it cannot be drawn
   */
  async drawAhead(drawing: Drawing, load: LoadPicture): Promise<void> {
    const key = drawingKey(drawing)
    if (this.#ahead.get(key) || this.#aheadWaiting >= AHEAD_WAITING_MAX) return
    this.#aheadWaiting++
    try {
      await this.#begin(key, async () => {
        const picture = await load()
        const drawn = await this.#draw(drawing, picture)
        this.#ahead.set(key, drawn)
        return drawn
      })
    } finally {
      this.#aheadWaiting--
    }
  }

  async #drawInLine(
    key: string,
    drawing: Drawing,
    networks: readonly string[],
    picture: Uint8Array | null,
  ): Promise<Tagged | undefined> {
    const leave = await this.#line.enter({ networks })
    if (!leave) return undefined
    try {
      const drawn = await this.#draw(drawing, picture)
      this.#kept.set(key, drawn)
      return drawn
    } finally {
      leave()
    }
  }

  async #draw(drawing: Drawing, picture: Uint8Array | null): Promise<Tagged> {
    return tagged(await this.#turns.do(() => this.#maker.make({ kind: 'drawing', drawing, picture })))
  }

  #begin(key: string, draw: () => Promise<Tagged | undefined>): Promise<Tagged | undefined> {
    const drawn = draw()
    this.#underWay.set(key, drawn)
    const forget = () => {
      if (this.#underWay.get(key) === drawn) this.#underWay.delete(key)
    }
    drawn.then(forget, forget)
    return drawn
  }
}

/** A cache of pictures by key. The ones used least recently are dropped first. */
const picturesUpTo = (maxBytes: number) =>
  // The library refuses a limit of 0. One byte caches nothing either, because no picture is that small.
  new LRUCache<string, Tagged>({ maxSize: Math.max(1, maxBytes), sizeCalculation: ({ body }) => body.length })
