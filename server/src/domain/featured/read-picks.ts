import { sql } from 'kysely'
import { statement } from '../../platform/db/statement.ts'
import { type DatedRow, isPublished, joinPicture, type ListedRow, listedColumns } from '../listings/listed-row.ts'

/** A published listing that the operator recommends. */
export interface Picked extends ListedRow, Pick<DatedRow, 'expiresAt'> {
  /** The id of the pick, not of the listing. */
  id: string
  note: string
  /** The operator's name. */
  pickedBy: string
  /** When it was picked, in Unix milliseconds. */
  at: number
}

/** Returns the picks in force whose listings are published, latest first. */
export const readPicks = statement(
  { now: 'bigint', limit: 'bigint' },
  // `cross join` keeps SQLite from beginning with the listings.
  ({ now, limit }) => sql<Picked>`
    select ${listedColumns}, listing."expiresAt", pick.id, pick.note, pick."pickedBy", pick.at
    from pick cross join listing ${joinPicture}
    where listing.id = pick."listingId" and pick."endedAt" is null and ${isPublished(now)}
    order by pick.at desc, pick.id desc limit ${limit}`,
)
