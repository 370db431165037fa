import { createHash } from 'node:crypto'
import { drawSharePicture } from '../../pictures/share-picture.ts'
import type { Pictured } from './find-picture.ts'

const KEPT_MAX_BYTES = 16 * 1024 * 1024
/** Drawings that may wait for their turn; one takes about a tenth of a second. */
const WAITING_MAX = 20
/** Raise it whenever the drawing changes, so that no old one is kept anywhere. */
const DRAWING = 1

/** Share pictures, drawn when they are asked for, one at a time, and kept while there is room. */
export class SharePictures {
  /** In the order in which they were last asked for. */
  readonly #kept = new Map<string, Buffer>()
  readonly #underWay = new Map<string, Promise<Buffer>>()
  #bytes = 0
  #line: Promise<unknown> = Promise.resolve()

  /** The PNG of a listing; undefined when too many are being drawn just now. */
  async get(pictured: Pictured): Promise<Buffer | undefined> {
    const key = sharePictureKey(pictured)
    const kept = this.#kept.get(key)
    if (kept) {
      this.#kept.delete(key)
      this.#kept.set(key, kept)
      return kept
    }
    return this.#underWay.get(key) ?? this.#draw(key, pictured)
  }

  #draw(key: string, pictured: Pictured): Promise<Buffer> | undefined {
    if (this.#underWay.size > WAITING_MAX) return undefined
    const drawn = this.#line.then(() => drawSharePicture(pictured, pictured.bytes))
    this.#line = drawn.catch(() => {})
    this.#underWay.set(key, drawn)
    drawn
      .then(png => this.#keep(key, png))
      .catch(() => {})
      .finally(() => this.#underWay.delete(key))
    return drawn
  }

  #keep(key: string, png: Buffer): void {
    this.#kept.set(key, png)
    this.#bytes += png.length
    for (const [oldest, { length }] of this.#kept) {
      if (this.#bytes <= KEPT_MAX_BYTES) return
      this.#kept.delete(oldest)
      this.#bytes -= length
    }
  }
}

/** Names what a share picture is drawn from, and so the picture. */
export const sharePictureKey = ({ title, hostname, category, version }: Pictured): string =>
  createHash('sha256')
    .update(JSON.stringify([DRAWING, title, hostname, category, version]))
    .digest('base64url')
