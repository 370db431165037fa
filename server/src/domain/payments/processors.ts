import { sql } from 'kysely'
import type { Config } from '../../platform/config/config.ts'
import type { ProcessorName } from '../../platform/config/outside-services.ts'
import type { Store } from '../../platform/db/store.ts'

type KindOfMoney = Pick<Config, 'payments' | 'stripe' | 'isPublic'>

const MONEY: Record<ProcessorName, string> = {
  stripe: 'real money',
  stripe_test: 'Stripe test money',
  sandbox: 'sandbox play money',
}

/** What chooses each processor, beside PAYMENTS. */
const CHOSEN_BY: Record<ProcessorName, string> = {
  stripe: ' with a live STRIPE_SECRET_KEY',
  stripe_test: ' with a test STRIPE_SECRET_KEY',
  sandbox: '',
}

/**
 * Checks that the boards count only one kind of money. Without a processor, a public site shows only places that were
 * paid for with real money, and a site on loopback shows any.
 *
 * @throws Error in one line if places were paid for with another kind
 */
export async function refuseOtherMoney({ db }: Store, config: KindOfMoney): Promise<void> {
  const { payments, stripe, isPublic } = config
  if (payments === 'none' && !stripe && !isPublic) return
  const ours = stripe?.name ?? (payments === 'sandbox' ? 'sandbox' : 'stripe')
  const why = payments === 'none' && !stripe ? ' on a public address' : CHOSEN_BY[ours]
  const paid = await db
    .selectFrom('payment')
    .select('processor')
    // Literals match a partial index. On a site with real money, it contains all other payments, so it is empty.
    .where('processor', '<>', sql.lit(ours))
    .where('netCents', '>', sql.lit(0))
    .limit(1)
    .executeTakeFirst()
  if (!paid) return
  throw new Error(
    `PAYMENTS=${payments}${why} cannot be used with this database: its places were paid for with ${MONEY[paid.processor]}, ` +
      `and a board never mixes it with ${MONEY[ours]}. Use a new database.`,
  )
}

/** The `livemode` of each processor's events: 1 if it moves money, 0 if it does not. */
export const LIVEMODE: Record<ProcessorName, 0 | 1> = { stripe: 1, stripe_test: 0, sandbox: 0 }

export const PROCESSOR_NAMES = Object.keys(LIVEMODE) as ProcessorName[]
