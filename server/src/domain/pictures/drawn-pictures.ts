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

interface Draw {
  drawing: Drawing
  picture: Uint8Array | null
  keptIn: LRUCache<string, Tagged>
}

/** Loads the stored picture of a listing that has one. Called only if there is something to draw. */
export type LoadPicture = () => Promise<Uint8Array | null>

/** Far longer than a full queue takes. */
const WAIT_MS = 15_000

/** If more are published at once, the others get their first picture when it is requested. */
const AHEAD_WAITING_MAX = 20

/** Draws pictures, one at a time, and caches them. */
export class DrawnPictures {
  /** Requests wait here, and drawings in advance there. Each sends one at a time to `#turns`, where they alternate. */
  readonly #line: Slots
  readonly #aheadLine = new OneAtATime()
  readonly #turns = new OneAtATime()
  /** A visitor is waiting, so its priority is only a little lower than the service's. */
  readonly #maker = new PictureMaker()
  readonly #kept: LRUCache<string, Tagged>
  readonly #ahead: LRUCache<string, Tagged>
  readonly #underWay = new Map<string, Promise<Tagged | undefined>>()
  readonly #aheadUnderWay = new Map<string, Promise<Tagged>>()
  readonly #uses = countedAs('drawings')

  constructor({ keptMaxBytes, aheadMaxBytes, waitingMax }: Limits) {
    this.#line = createSlots({ atOnceMax: 1, waitersMax: waitingMax, waitMs: WAIT_MS })
    this.#kept = picturesUpTo(keptMaxBytes)
    this.#ahead = picturesUpTo(aheadMaxBytes)
  }

  /**
   * Returns a picture, drawn or cached. Never waits for more than one drawing in advance.
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
    const cached = this.#find(key)
    if (cached) {
      this.#uses.hits++
      return cached
    }
    this.#uses.misses++
    const ahead = this.#aheadUnderWay.get(key)
    const asked = this.#getInLine(key, drawing, networks, load)
    // Whichever is drawn first. If the line is full, or one of them fails, the other may still succeed.
    return ahead ? firstOf([ahead, asked]) : asked
  }

  async #getInLine(
    key: string,
    drawing: Drawing,
    networks: readonly string[],
    load: LoadPicture,
  ): Promise<Tagged | undefined> {
    const underWay = this.#underWay.get(key)
    // The first client may be refused for its network, which does not concern this one.
    const made = underWay && (await underWay)
    return made ?? noted(this.#underWay, key, this.#drawInLine(key, drawing, networks, load))
  }

  /**
   * Draws a picture before it is requested, and caches it where requests cannot displace it. Does nothing if it is
   * already cached there, or if too many are to be drawn in advance.
   *
   * @throws Error if it cannot be drawn
   */
  async drawAhead(drawing: Drawing, load: LoadPicture): Promise<void> {
    const key = drawingKey(drawing)
    const isFull = this.#aheadUnderWay.size >= AHEAD_WAITING_MAX
    if (this.#ahead.get(key) || this.#aheadUnderWay.has(key) || isFull) return
    const draw = async () => {
      const picture = await load()
      return this.#aheadLine.do(() => this.#draw(key, { drawing, picture, keptIn: this.#ahead }))
    }
    await noted(this.#aheadUnderWay, key, draw())
  }

  /** Ends the process that draws. */
  close(): void {
    this.#maker.end()
  }

  async #drawInLine(
    key: string,
    drawing: Drawing,
    networks: readonly string[],
    load: LoadPicture,
  ): Promise<Tagged | undefined> {
    const picture = await load()
    const release = await this.#line.acquire({ networks })
    if (!release) return undefined
    try {
      return await this.#draw(key, { drawing, picture, keptIn: this.#kept })
    } finally {
      release()
    }
  }

  /** Draws a picture when it is its turn, unless the other line has drawn it. */
  #draw(key: string, { drawing, picture, keptIn }: Draw): Promise<Tagged> {
    return this.#turns.do(async () => {
      const drawn = this.#find(key) ?? tagged(await this.#maker.make({ kind: 'drawing', drawing, picture }))
      keptIn.set(key, drawn)
      return drawn
    })
  }

  #find(key: string): Tagged | undefined {
    return this.#ahead.get(key) ?? this.#kept.get(key)
  }
}

/** Notes what is under way until it has ended. */
function noted<Made>(underWay: Map<string, Promise<Made>>, key: string, made: Promise<Made>): Promise<Made> {
  underWay.set(key, made)
  const forget = () => {
    if (underWay.get(key) === made) underWay.delete(key)
  }
  made.then(forget, forget)
  return made
}

/** @returns the first picture; undefined without one */
const firstOf = (pictures: Promise<Tagged | undefined>[]): Promise<Tagged | undefined> =>
  Promise.any(pictures.map(async picture => (await picture) ?? Promise.reject(new Error('refused')))).catch(
    () => undefined,
  )

/** A cache of pictures by key. The ones used least recently are dropped first. */
const picturesUpTo = (maxBytes: number) =>
  // The library refuses a limit of 0. One byte caches nothing either, because no picture is that small.
  new LRUCache<string, Tagged>({ maxSize: Math.max(1, maxBytes), sizeCalculation: ({ body }) => body.length })
