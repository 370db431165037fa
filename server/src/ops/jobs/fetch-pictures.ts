import { createHash } from 'node:crypto'
import type { FastifyBaseLogger } from 'fastify'
import { type Selectable, sql } from 'kysely'
import { PICTURE_HEIGHT, PICTURE_MEDIA_TYPE, PICTURE_WIDTH, UnusableImage } from '../../domain/pictures/drawing.ts'
import { PictureMaker } from '../../domain/pictures/picture-process.ts'
import { NO_BYTES } from '../../domain/pictures/preview-image.ts'
import type { GuardedFetcher, WantedDocument } from '../../domain/review/fetcher/guarded-fetcher.ts'
import { FetchEnded, type FetchLimits } from '../../domain/review/fetcher/limits.ts'
import { parseImageAddress } from '../../domain/review/image-address.ts'
import { DueQueue } from '../../platform/db/due-queue.ts'
import { statement } from '../../platform/db/statement.ts'
import type { Store } from '../../platform/db/store.ts'
import type { PictureTable } from '../../platform/db/tables/listings.ts'
import type { Links } from '../../platform/http/links.ts'
import { Problem } from '../../platform/http/problem.ts'
import { OneAtATime } from '../../platform/lib/slots.ts'
import { HOUR_MS, MINUTE_MS } from '../../platform/lib/time.ts'

interface PictureDependencies {
  /** Its own, with `PICTURE_FETCH_LIMITS`, so that publishing never waits for images. */
  fetcher: GuardedFetcher
  links: Pick<Links, 'hostname'>
  clock: () => number
  log?: Pick<FastifyBaseLogger, 'debug' | 'info'> | undefined
}

const AT_ONCE = 8

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
    const due = await duePictures(store, { now: this.#deps.clock() })
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
  async #pictureOf({ listingId, sourceUrl }: PictureLease, signal: AbortSignal): Promise<Buffer | 'none' | 'later'> {
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
    const fetched = await fetcher.visit(destination, get => get(destination, IMAGE), { stop: signal })
    return fetched instanceof FetchEnded ? fetched : fetched.body
  }
}

export type DuePicture = Pick<Selectable<PictureTable>, 'listingId' | 'sourceUrl' | 'attempts' | 'tryAt'>

/** A leased picture. Its row keeps these values unless another picture is wanted meanwhile. */
export type PictureLease = DuePicture & { tryAt: number }

/** Waits between attempts. After the last one, we give up. */
const WAITS_MS = [5 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS] as const
const ATTEMPTS_MAX = WAITS_MS.length + 1

const BATCH = 16

/** Pictures of listings that are not public stay due, so they are fetched as soon as the listing is restored. */
const pictures = new DueQueue({
  table: 'picture',
  key: 'listingId',
  dueAt: 'tryAt',
  isReady: now => sql`exists (
    select 1 from listing where listing.id = picture."listingId" and listing."hiddenAt" is null
      and (listing."expiresAt" is null or listing."expiresAt" > ${now}))`,
})

/** Counts the pictures that can be fetched now. */
export const countDuePictures = (store: Store, now: number): Promise<number> => pictures.count(store, now)

/** Due pictures, newest first, so that a listing that was just published does not wait behind a backlog. */
export const duePictures = statement(
  { now: 'bigint' },
  ({ now }) => sql<DuePicture>`
    select "listingId", "sourceUrl", attempts, "tryAt" ${pictures.from(now)}
    order by "tryAt" desc limit ${sql.lit(BATCH)}`,
)

/**
 * Schedules the next attempt before making this one, so that it happens even if the process dies.
 *
 * @returns undefined if another picture was wanted meanwhile, or another process was faster
 */
export const leasePicture = (store: Store, wanted: DuePicture, now: number): Promise<PictureLease | undefined> =>
  pictures.lease(store, wanted, {
    attempts: wanted.attempts + 1,
    tryAt: now + (WAITS_MS[wanted.attempts] ?? WAITS_MS[2]),
  })

/** Stores a picture, or that there is none, unless another one has been wanted since the lease began. */
export async function settlePicture(
  store: Store,
  lease: PictureLease,
  bytes: Buffer | undefined,
  now: number,
): Promise<void> {
  const outcome = bytes ? { state: 'stored' as const, ...stored(bytes, now) } : { state: 'none' as const, ...NO_BYTES }
  await store.transact(trx => pictures.settle(trx, lease, { ...outcome, attempts: 0, tryAt: null }))
}

const stored = (bytes: Buffer, now: number) => ({
  mediaType: PICTURE_MEDIA_TYPE,
  width: PICTURE_WIDTH,
  height: PICTURE_HEIGHT,
  version: createHash('sha256').update(bytes).digest('base64url').slice(0, 12),
  bytes,
  storedAt: now,
})
