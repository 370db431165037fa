import { createHash } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { PictureTable } from '../storage/schema.ts'
import type { Store } from '../storage/store.ts'
import { PICTURE_HEIGHT, PICTURE_MEDIA_TYPE, PICTURE_WIDTH } from './size.ts'
import { NO_BYTES } from './want-picture.ts'

export type DuePicture = Pick<Selectable<PictureTable>, 'listingId' | 'sourceUrl' | 'attempts' | 'tryAt'>
/** Of a leased picture: what the row still says unless somebody wanted another one meanwhile. */
export type PictureLease = DuePicture & { nextAt: number }

const MINUTE_MS = 60_000
/** From one attempt to the next. After the last one there is no picture. */
const WAITS_MS = [5 * MINUTE_MS, 60 * MINUTE_MS, 360 * MINUTE_MS] as const
export const ATTEMPTS_MAX = WAITS_MS.length + 1

const BATCH = 16

/**
 * What is due, the latest first: a person who has just published is looking, and may have a backlog before them. What is
 * not on show is left out, and stays due for when it is restored.
 */
export const duePictures = ({ db }: Store, now: number): Promise<DuePicture[]> =>
  db
    .selectFrom('picture')
    .select(['listingId', 'sourceUrl', 'attempts', 'tryAt'])
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
    .orderBy('tryAt', 'desc')
    .limit(BATCH)
    .execute()

/**
 * Sets the time of the next attempt before this one is made: should the process die now, it comes all the same, and until
 * then no other instance makes one.
 *
 * @returns undefined where another one has it
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

/** Stores a picture, or that there is none, unless another one was wanted since the lease began. */
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
