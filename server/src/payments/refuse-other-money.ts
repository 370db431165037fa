import { sql } from 'kysely'
import type { ProcessorName } from '../storage/schema.ts'
import type { Store } from '../storage/store.ts'

const MONEY: Record<ProcessorName, string> = {
  stripe: 'real money',
  stripe_test: 'Stripe test money',
  sandbox: 'sandbox play money',
}

/** The settings that choose each processor. */
const CHOSEN_BY: Record<ProcessorName, string> = {
  stripe: 'PAYMENTS=stripe with a live STRIPE_SECRET_KEY',
  stripe_test: 'PAYMENTS=stripe with a test STRIPE_SECRET_KEY',
  sandbox: 'PAYMENTS=sandbox',
}

/** @throws Error in one line if places were paid for with another kind of money: a board counts only one kind */
export async function refuseOtherMoney({ db }: Store, ours: ProcessorName): Promise<void> {
  const paid = await db
    .selectFrom('payment')
    .select('processor')
    // Literals, to match a partial index: on a board of real money, it holds all other money, which is none.
    .where('processor', '<>', sql.lit(ours))
    .where('netCents', '>', sql.lit(0))
    .limit(1)
    .executeTakeFirst()
  if (!paid) return
  throw new Error(
    `${CHOSEN_BY[ours]} cannot be used with this database: its places were paid for with ${MONEY[paid.processor]}, ` +
      `and a board never mixes it with ${MONEY[ours]}. Use a new database.`,
  )
}
