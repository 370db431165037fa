import { type Kysely, sql } from 'kysely'

/** Finds the decisions about a submission. The first has the id of the submission, so publishing writes no index. */
export async function decisionsOfSubmissions(db: Kysely<unknown>): Promise<void> {
  await sql`create index decision_of_request on decision ("requestId") where "requestId" <> id`.execute(db)
}
