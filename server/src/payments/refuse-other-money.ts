import { sql } from 'kysely'
import type { ProcessorName } from '../storage/schema.ts'
import type { Store } from '../storage/store.ts'

const MONEY: Record<ProcessorName, string> = {
  stripe: 'real money',
  stripe_test: 'test money of Stripe',
  sandbox: 'play money of the sandbox',
}

/** The settings that choose it. */
const CHOSEN_BY: Record<ProcessorName, string> = {
  stripe: 'PAYMENTS stripe with a live STRIPE_SECRET_KEY',
  stripe_test: 'PAYMENTS stripe with a test STRIPE_SECRET_KEY',
  sandbox: 'PAYMENTS sandbox',
}

/** @throws Error in one line when places were paid for with another kind of money: no board counts one beside another */
export async function refuseOtherMoney({ db }: Store, ours: ProcessorName): Promise<void> {
  const paid = await db
    .selectFrom('payment')
    .select('processor')
    // As literals: of a board of real money, an index holds all the other money, which is none.
    .where('processor', '<>', sql.lit(ours))
    .where('netCents', '>', sql.lit(0))
    .limit(1)
    .executeTakeFirst()
  if (!paid) return
  throw new Error(
    `${CHOSEN_BY[ours]} cannot be used with a database in which places were paid for with ${MONEY[paid.processor]}: ` +
      `${MONEY[ours]} would stand on the boards beside it. Use a new database.`,
  )
}
