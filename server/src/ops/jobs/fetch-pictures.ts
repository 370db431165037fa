import { hash } from 'node:crypto'
import type { FastifyBaseLogger } from 'fastify'
import { type Selectable, sql } from 'kysely'
import { parseImageAddress } from '../../domain/destinations/destination.ts'
import { isPublished } from '../../domain/listings/listed-row.ts'
import { noteUpdate } from '../../domain/listings/listing.ts'
import { PICTURE_HEIGHT, PICTURE_MEDIA_TYPE, PICTURE_WIDTH, UnusableImage } from '../../domain/pictures/drawing.ts'
import { deleteUnusedObjects, dropObject, lockObject, moveToStorage } from '../../domain/pictures/move-pictures.ts'
import { PictureMaker } from '../../domain/pictures/picture-process.ts'
import { NO_BYTES } from '../../domain/pictures/preview-image.ts'
import { openStorage, type PictureStorage, type StorageSettings } from '../../domain/pictures/storage.ts'
import { postponeUnlessShown } from '../../domain/recheck/schedule.ts'
import type { GuardedFetcher, WantedDocument } from '../../domain/review/fetcher/guarded-fetcher.ts'
import { UNTYPED } from '../../domain/review/fetcher/http-get.ts'
import { FetchEnded, type FetchLimits } from '../../domain/review/fetcher/limits.ts'
import { DueQueue, workOnAllRows } from '../../platform/db/due-queue.ts'
import { statement } from '../../platform/db/statement.ts'
import type { Store, Trx } from '../../platform/db/store.ts'
import type { Database } from '../../platform/db/tables/index.ts'
import type { Links } from '../../platform/http/links.ts'
import { Problem } from '../../platform/http/problem.ts'
import { OneAtATime } from '../../platform/lib/slots.ts'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../platform/lib/time.ts'
import type { JobDefinition, Step } from './job.ts'

const CONCURRENT_MAX = 8
const BATCH = 16

/** Limits for a fetcher of its own: images must not delay other requests. */
export const PICTURE_FETCH_LIMITS: Partial<FetchLimits> = { atOnceMax: CONCURRENT_MAX, waitMs: 15 * SECOND_MS }

/** `image/jpg` is not a media type, but many servers send it. */
const IMAGE: WantedDocument = {
  accepts: ['image/avif', 'image/webp', 'image/png', 'image/jpeg', 'image/jpg', 'image/gif', ...UNTYPED],
  bodyMaxBytes: 5 * 1024 * 1024,
}

interface PictureDependencies {
  fetchers: { pictures: GuardedFetcher }
  config: StorageSettings
  links: Pick<Links, 'hostname'>
  clock: () => number
  log?: Pick<FastifyBaseLogger, 'debug' | 'info'> | undefined
  /** Only tests give one. */
  maker?: PictureMaker
}

/** Fetches the preview images that listed pages name, makes pictures from them and stores those. */
export const fetchPictures: Omit<JobDefinition, 'start'> & { start(deps: PictureDependencies): Step } = {
  name: 'pictures',
  does: 'fetches preview images',
  everyMs: SECOND_MS,
  countDue: (store, now) => pictures.count(store, now),
  start({ fetchers, config, maker = new PictureMaker(), ...deps }) {
    // Images are fetched concurrently, but decoded one at a time, because decoding takes much memory.
    const storing = storingWith(config, deps)
    const worker = { ...deps, fetcher: fetchers.pictures, maker, decoding: new OneAtATime(), storing }
    const endMaker = () => maker.end()
    const step: Step = async ({ store, signal }) => {
      signal.addEventListener('abort', endMaker, { once: true })
      try {
        // The database says what is due, so a crash loses nothing.
        await workOnAllRows(
          () => duePictures(store, { now: deps.clock() }),
          CONCURRENT_MAX,
          signal,
          next => fetchOne(worker, store, next, signal),
        )
        await storing(storage => deleteUnusedObjects({ ...deps, store, storage }))
      } finally {
        signal.removeEventListener('abort', endMaker)
      }
    }
    return Object.assign(step, { close: endMaker })
  },
}

interface Worker extends Omit<PictureDependencies, 'fetchers' | 'config'> {
  fetcher: GuardedFetcher
  maker: PictureMaker
  decoding: OneAtATime
  storing: ReturnType<typeof storingWith>
}

/** Unreachable storage must not slow down the fetching. */
const STORING_PAUSE_MS = MINUTE_MS

/**
 * Returns a function that does work with object storage, if there is some. It does nothing for a minute after a
 * failure, which costs nothing: a new picture then stays in the database.
 */
function storingWith(config: StorageSettings, { clock, log }: Pick<PictureDependencies, 'clock' | 'log'>) {
  const storage = openStorage(config)
  let pausedUntil = 0
  return async (work: (storage: PictureStorage) => Promise<unknown>, isForNew = false) => {
    if (!storage || clock() < pausedUntil || (isForNew && !config.storage?.takesNew)) return
    try {
      await work(storage)
    } catch (error) {
      pausedUntil = clock() + STORING_PAUSE_MS
      log?.info({ err: error }, 'object storage failed; new pictures stay in the database for 60 s')
    }
  }
}

async function fetchOne(
  worker: Worker,
  store: Store,
  { isShown, ...due }: Awaited<ReturnType<typeof duePictures>>[number],
  signal: AbortSignal,
): Promise<void> {
  if (!isShown) {
    const postpone = (trx: Trx, tryAt: number) => pictures.settle(trx, due, { tryAt })
    return postponeUnlessShown(store, due.listingId, worker.clock, postpone)
  }
  const lease = await leasePicture(store, due, worker.clock())
  if (!lease) return
  const outcome = lease.attempts > ATTEMPTS_MAX ? 'none' : await makePicture(worker, lease, signal)
  if (signal.aborted) return
  if (outcome === 'later' && lease.attempts < ATTEMPTS_MAX) return
  await settlePicture(store, lease, Buffer.isBuffer(outcome) ? outcome : undefined, worker.clock())
  const { clock, storing } = worker
  await storing(storage => moveToStorage({ store, storage, clock }, lease.listingId), true)
}

/** @returns the picture, `none`, or `later` if another try may succeed */
async function makePicture(
  { fetcher, links, maker, decoding, log }: Worker,
  { listingId, sourceUrl }: PictureLease,
  signal: AbortSignal,
): Promise<Buffer | 'none' | 'later'> {
  try {
    const address = parseImageAddress(sourceUrl ?? '', links.hostname)
    const image = await fetcher.visit(address, get => get(address, IMAGE), { stop: signal })
    if (!(image instanceof FetchEnded)) return await decoding.do(() => decode(maker, image.body, signal))
    log?.debug({ listing: listingId, why: image.message }, 'could not fetch an image')
    return image.verdict.verdict === 'reject' ? 'none' : 'later'
  } catch (error) {
    if (error instanceof Problem || error instanceof UnusableImage) return 'none'
    if (signal.aborted) return 'later'
    log?.info({ listing: listingId, err: error }, 'could not make a picture')
    return 'later'
  }
}

/** Decodes in a new process that sees only this image. */
async function decode(maker: PictureMaker, image: Buffer, signal: AbortSignal): Promise<Buffer> {
  signal.throwIfAborted()
  try {
    return await maker.make({ kind: 'picture', image })
  } finally {
    maker.end()
  }
}

type DuePicture = Pick<Selectable<Database['picture']>, 'listingId' | 'sourceUrl' | 'attempts' | 'tryAt'>

/** A leased picture. Its row keeps these values unless the listing names another picture during this time. */
type PictureLease = DuePicture & { tryAt: number }

/** Waits between attempts. After the last one, we give up. */
const WAITS_MS = [5 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS] as const
const ATTEMPTS_MAX = WAITS_MS.length + 1

const pictures = new DueQueue({ table: 'picture', key: 'listingId', dueAt: 'tryAt' })

/**
 * Due pictures, newest first, so that a listing that was just published does not wait behind a backlog. Also those of
 * listings that are not shown: if they stayed due, every read would look at all of them.
 */
export const duePictures = statement(
  { now: 'bigint' },
  ({ now }) => sql<DuePicture & { isShown: boolean | number }>`
    select due.*, ${isPublished(now)} as "isShown"
    from (select "listingId", "sourceUrl", attempts, "tryAt" ${pictures.from(now)}
      order by "tryAt" desc limit ${sql.lit(BATCH)}) as due
    join listing on listing.id = due."listingId" order by due."tryAt" desc`,
)

/**
 * Schedules the next attempt before making this one, so that it happens even if the process dies.
 *
 * @returns undefined if the listing now names another picture, or another process was faster
 */
export const leasePicture = (store: Store, wanted: DuePicture, now: number): Promise<PictureLease | undefined> =>
  pictures.lease(store, wanted, {
    attempts: wanted.attempts + 1,
    tryAt: now + (WAITS_MS[wanted.attempts] ?? WAITS_MS[2]),
  })

/** Stores a picture, or that there is none, unless the listing has named another one since the lease began. */
export async function settlePicture(
  store: Store,
  lease: PictureLease,
  bytes: Buffer | undefined,
  now: number,
): Promise<void> {
  const outcome = bytes ? { state: 'stored' as const, ...stored(bytes, now) } : { state: 'none' as const, ...NO_BYTES }
  await store.transact(async trx => {
    // A picture that is gone changes the listing, too. First, because a refresh changes the listing before its picture:
    // the other order could deadlock.
    if (bytes || (await hasPicture(trx, lease.listingId))) await noteUpdate(trx, lease.listingId, now)
    const object = await lockObject(trx, lease.listingId)
    const isSettled = await pictures.settle(trx, lease, { ...outcome, attempts: 0, tryAt: null })
    if (isSettled && object !== null) await dropObject(trx, object, now)
  })
}

const hasPicture = async (trx: Trx, listingId: number): Promise<boolean> =>
  (await trx.selectFrom('picture').select('state').where('listingId', '=', listingId).executeTakeFirst())?.state ===
  'stored'

const stored = (bytes: Buffer, now: number) => ({
  mediaType: PICTURE_MEDIA_TYPE,
  width: PICTURE_WIDTH,
  height: PICTURE_HEIGHT,
  version: hash('sha256', bytes, 'base64url').slice(0, 12),
  bytes,
  objectName: null,
  storedAt: now,
})
