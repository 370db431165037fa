import type { FastifyBaseLogger } from 'fastify'
import { FetchEnded } from '../fetcher/fetch-ended.ts'
import type { GuardedFetcher, WantedDocument } from '../fetcher/guarded-fetcher.ts'
import type { FetchLimits } from '../fetcher/limits.ts'
import type { Links } from '../http/links.ts'
import { Problem } from '../http/problem.ts'
import { parseImageAddress } from '../reading/image-address.ts'
import type { Store } from '../storage/store.ts'
import { PictureMaker } from './maker.ts'
import { OneAtATime } from './one-at-a-time.ts'
import {
  ATTEMPTS_MAX,
  type DuePicture,
  duePictures,
  leasePicture,
  type PictureLease,
  settlePicture,
} from './queue.ts'
import { UnusableImage } from './size.ts'

interface PictureDependencies {
  /** Its own, with `PICTURE_FETCH_LIMITS`, so that publishing never waits for images. */
  fetcher: GuardedFetcher
  links: Pick<Links, 'hostname'>
  clock: () => number
  log?: Pick<FastifyBaseLogger, 'debug' | 'info'> | undefined
}

const AT_ONCE = 2

/** As many visits as the worker makes at once, so that none is refused. */
export const PICTURE_FETCH_LIMITS: Partial<FetchLimits> = { atOnceMax: AT_ONCE, waitMs: 15_000 }

/** `image/jpg` is not a media type, but many servers send it. */
const IMAGE: WantedDocument = {
  accepts: ['image/avif', 'image/webp', 'image/png', 'image/jpeg', 'image/jpg', 'image/gif'],
  bodyMaxBytes: 5 * 1024 * 1024,
}

/**
 * Fetches the preview images that listed pages name, makes pictures from them and stores those. Only the clock and the
 * store decide what is due, so a crash loses nothing. Never changes a listing.
 */
export class PictureWorker {
  readonly #deps: PictureDependencies
  /** Images are fetched in parallel but decoded one at a time, since decoding takes memory. */
  readonly #decoding = new OneAtATime()
  readonly #maker = new PictureMaker(19)

  constructor(deps: PictureDependencies) {
    this.#deps = deps
  }

  /** Ends the process that makes pictures. */
  close(): void {
    this.#maker.end()
  }

  /**
   * Tries everything that is due once.
   *
   * @param store where this time's outcome is written
   * @param signal aborts what is under way, to be tried again later
   */
  async fetchDue(store: Store, signal: AbortSignal): Promise<void> {
    const endMaker = () => this.#maker.end()
    signal.addEventListener('abort', endMaker, { once: true })
    try {
      while (!signal.aborted && (await this.#fetchSome(store, signal)) > 0);
    } finally {
      signal.removeEventListener('abort', endMaker)
    }
  }

  /** @returns how many were due */
  async #fetchSome(store: Store, signal: AbortSignal): Promise<number> {
    const due = await duePictures(store, this.#deps.clock())
    const found = due.length
    const takeNext = async () => {
      for (let next = due.shift(); next && !signal.aborted; next = due.shift()) {
        await this.#fetch(store, next, signal)
      }
    }
    const lanes = await Promise.allSettled(Array.from({ length: AT_ONCE }, takeNext))
    for (const lane of lanes) if (lane.status === 'rejected') throw lane.reason
    return found
  }

  async #fetch(store: Store, wanted: DuePicture, signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps
    const lease = await leasePicture(store, wanted, clock())
    if (!lease) return
    const outcome = lease.attempts > ATTEMPTS_MAX ? 'none' : await this.#pictureOf(lease, signal)
    if (signal.aborted) return
    if (outcome === 'later' && lease.attempts < ATTEMPTS_MAX) return
    await settlePicture(store, lease, Buffer.isBuffer(outcome) ? outcome : undefined, clock())
  }

  /** @returns the picture, `none`, or `later` if another try may succeed */
  async #pictureOf(
    { listingId, sourceUrl }: PictureLease,
    signal: AbortSignal,
  ): Promise<Buffer | 'none' | 'later'> {
    const { log } = this.#deps
    try {
      const image = await this.#imageAt(sourceUrl ?? '', signal)
      if (Buffer.isBuffer(image)) {
        return await this.#decoding.do(() => this.#decode(image, signal))
      }
      log?.debug({ listing: listingId, why: image.message }, 'could not fetch an image')
      return image.verdict.verdict === 'reject' ? 'none' : 'later'
    } catch (error) {
      if (error instanceof Problem || error instanceof UnusableImage) return 'none'
      if (signal.aborted) return 'later'
      log?.info({ listing: listingId, err: error }, 'could not make a picture')
      return 'later'
    }
  }

  /** In a fresh process that sees only this image. */
  async #decode(image: Buffer, signal: AbortSignal): Promise<Buffer> {
    signal.throwIfAborted()
    try {
      return await this.#maker.make({ kind: 'picture', image })
    } finally {
      this.#maker.end()
    }
  }

  async #imageAt(address: string, signal: AbortSignal): Promise<Buffer | FetchEnded> {
    const { fetcher, links } = this.#deps
    const destination = parseImageAddress(address, links.hostname)
    const fetched = await fetcher.visit(destination, get => get(destination, IMAGE), signal)
    return fetched instanceof FetchEnded ? fetched : fetched.body
  }
}
