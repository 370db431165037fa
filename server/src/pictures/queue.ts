import { createHash } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { PictureTable } from '../storage/schema.ts'
import type { Store } from '../storage/store.ts'
import { PICTURE_HEIGHT, PICTURE_MEDIA_TYPE, PICTURE_WIDTH } from './size.ts'
import { NO_BYTES } from './want-picture.ts'

export type DuePicture = Pick<Selectable<PictureTable>, 'listingId' | 'sourceUrl' | 'attempts' | 'tryAt'>
/** A leased picture. Its row keeps these values unless another picture is wanted meanwhile. */
export type PictureLease = DuePicture & { nextAt: number }

const MINUTE_MS = 60_000
/** Waits between attempts. After the last one, we give up. */
const WAITS_MS = [5 * MINUTE_MS, 60 * MINUTE_MS, 360 * MINUTE_MS] as const
export const ATTEMPTS_MAX = WAITS_MS.length + 1

const BATCH = 16

/**
 * Due pictures, newest first, so that somebody who has just published does not wait behind a backlog. Skips listings
 * that are not shown; theirs stay due until they are restored.
 */
export const duePictures = (store: Store, now: number): Promise<DuePicture[]> =>
  due(store, now)
    .select(['listingId', 'sourceUrl', 'attempts', 'tryAt'])
    .orderBy('tryAt', 'desc')
    .limit(BATCH)
    .execute()

/** How many there are. */
export async function picturesDue(store: Store, now: number): Promise<number> {
  const { all } = await due(store, now)
    .select(({ fn }) => fn.countAll<number | string>().as('all'))
    .executeTakeFirstOrThrow()
  return Number(all)
}

const due = ({ db }: Store, now: number) =>
  db
    .selectFrom('picture')
    .where('tryAt', '<=', now)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('listing')
          .select('id')
          .whereRef('id', '=', 'picture.listingId')
          .where('hiddenAt', 'is', null)
          .where(({ eb, or }) => or([eb('expiresAt', 'is', null), eb('expiresAt', '>', now)])),
      ),
    )

/**
 * Schedules the next attempt before making this one, so that it happens even if the process dies.
 *
 * @returns undefined if another picture was wanted meanwhile, or another process was faster
 */
export async function leasePicture(
  store: Store,
  wanted: DuePicture,
  now: number,
): Promise<PictureLease | undefined> {
  const nextAt = now + (WAITS_MS[wanted.attempts] ?? WAITS_MS[2])
  const attempts = wanted.attempts + 1
  const { numUpdatedRows } = await store.transact(trx =>
    trx
      .updateTable('picture')
      .set({ attempts, tryAt: nextAt })
      .where('listingId', '=', wanted.listingId)
      .where('tryAt', '=', wanted.tryAt)
      .executeTakeFirst(),
  )
  return numUpdatedRows === 1n ? { ...wanted, attempts, nextAt } : undefined
}

/** Stores a picture, or that there is none, unless another one has been wanted since the lease began. */
export async function settlePicture(
  store: Store,
  { listingId, nextAt }: PictureLease,
  bytes: Buffer | undefined,
  now: number,
): Promise<void> {
  const outcome = bytes
    ? { state: 'stored' as const, ...stored(bytes, now) }
    : { state: 'none' as const, ...NO_BYTES }
  await store.transact(trx =>
    trx
      .updateTable('picture')
      .set({ ...outcome, attempts: 0, tryAt: null })
      .where('listingId', '=', listingId)
      .where('tryAt', '=', nextAt)
      .execute(),
  )
}

const stored = (bytes: Buffer, now: number) => ({
  mediaType: PICTURE_MEDIA_TYPE,
  width: PICTURE_WIDTH,
  height: PICTURE_HEIGHT,
  version: createHash('sha256').update(bytes).digest('base64url').slice(0, 12),
  bytes,
  storedAt: now,
})
