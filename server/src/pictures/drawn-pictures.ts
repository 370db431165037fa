import { type Tagged, tagged } from '../http/send.ts'
import { countedAs } from '../remembered.ts'
import { type Drawing, drawingKey } from './drawing.ts'
import { type DrawingTask, PictureMaker } from './maker.ts'
import { OneAtATime } from './one-at-a-time.ts'

interface Limits {
  keptMaxBytes: number
  /** How many drawings may wait. */
  waitingMax: number
  /** How many of them one client may have asked for, so that none fills the line. */
  waitingMaxPerClient: number
}

/** Draws pictures on request, one at a time, and keeps them while there is room. */
export class DrawnPictures {
  readonly #limits: Limits
  readonly #turns = new OneAtATime()
  /** A visitor is waiting, so its priority is only a little lower than the service's. */
  readonly #maker = new PictureMaker(5)
  /** In order of last use. */
  readonly #kept = new Map<string, Tagged>()
  readonly #underWay = new Map<string, Promise<Tagged>>()
  /** Who asked for each of these. */
  readonly #askedBy = new Map<string, string>()
  readonly #uses = countedAs('drawings')
  #bytes = 0

  constructor(limits: Limits) {
    this.#limits = limits
  }

  /**
   * @param client who asks
   * @param picture the stored picture of a listing that has one
   * @returns undefined if too many are waiting
   * @throws Error if it cannot be drawn
   */
  async get(
    drawing: Drawing,
    client: string,
    picture: Uint8Array | null = null,
  ): Promise<Tagged | undefined> {
    const key = drawingKey(drawing)
    const kept = this.#kept.get(key)
    if (kept) {
      this.#uses.hits++
      this.#kept.delete(key)
      this.#kept.set(key, kept)
      return kept
    }
    this.#uses.misses++
    return this.#underWay.get(key) ?? this.#draw(key, client, { kind: 'drawing', drawing, picture })
  }

  #draw(key: string, client: string, task: DrawingTask): Promise<Tagged> | undefined {
    const { waitingMax, waitingMaxPerClient } = this.#limits
    if (this.#underWay.size > waitingMax) return undefined
    const ofClient = [...this.#askedBy.values()].filter(by => by === client).length
    if (ofClient > waitingMaxPerClient) return undefined
    const drawn = this.#turns.do(async () => this.#keep(key, await this.#maker.make(task)))
    this.#underWay.set(key, drawn)
    this.#askedBy.set(key, client)
    const forget = () => {
      this.#underWay.delete(key)
      this.#askedBy.delete(key)
    }
    drawn.then(forget, forget)
    return drawn
  }

  #keep(key: string, picture: Buffer): Tagged {
    const kept = tagged(picture)
    this.#kept.set(key, kept)
    this.#bytes += picture.length
    for (const [oldest, { body }] of this.#kept) {
      if (this.#bytes <= this.#limits.keptMaxBytes) break
      this.#kept.delete(oldest)
      this.#bytes -= body.length
    }
    return kept
  }
}
