import { FAILURES_MAX, openStorage, readObject, type StorageSettings } from '../../domain/pictures/storage.ts'
import { workOnRows } from '../../platform/db/due-queue.ts'
import { openSqlite } from './files.ts'

const AT_ONCE = 8

/** Pictures that a copy only names, because object storage did not have them, and the first reason. */
export interface PicturesLeft {
  count: number
  why: string
}

/**
 * Returns a function that reads pictures from object storage for a copy, which then needs no object storage. It leaves
 * out those that it can't read: a copy without pictures is better than none.
 */
export function pictureReader(settings: StorageSettings) {
  const storage = openStorage(settings)
  let left: PicturesLeft | undefined
  return {
    async read(name: string): Promise<Buffer | undefined> {
      try {
        if (storage && (left?.count ?? 0) < FAILURES_MAX) return await readObject(storage, name)
        left ??= { count: 0, why: 'STORAGE_URL is not set' }
      } catch (error) {
        left ??= { count: 0, why: (error as Error).message }
      }
      left.count++
      return undefined
    },
    /** Undefined if every picture was read. */
    left: () => left,
  }
}

export type PictureReader = ReturnType<typeof pictureReader>

/** Puts pictures from object storage into a copied database, where no other process uses it. */
export async function fillCopy(file: string, { read }: PictureReader): Promise<void> {
  using database = openSqlite(file)
  // The whole file is synced when it is complete.
  database.pragma('synchronous = off')
  // Objects belong to the site that was copied.
  database.exec('delete from unused_object')
  const named = database.prepare<[], { listingId: number; objectName: string }>(
    'select "listingId", "objectName" from picture where "objectName" is not null',
  )
  const fill = database.prepare('update picture set bytes = ?, "objectName" = null where "listingId" = ?')
  await workOnRows(named.all(), AT_ONCE, new AbortController().signal, async ({ listingId, objectName }) => {
    const bytes = await read(objectName)
    if (bytes) fill.run(bytes, listingId)
  })
}

/** Puts the picture from object storage into an exported row. @param json text of a row of the table `picture` */
export async function fillRow(json: string, { read }: PictureReader): Promise<string> {
  const row = JSON.parse(json) as { objectName?: string | null }
  if (!row.objectName) return json
  const bytes = await read(row.objectName)
  return bytes ? JSON.stringify({ ...row, bytes: bytes.toString('hex'), objectName: null }) : json
}
