import { admitServiceKeys } from './domain/ownership/service-keys/recorded-keys.ts'
import { refuseOtherMoney } from './domain/payments/processors.ts'
import { createStripe } from './domain/payments/stripe.ts'
import { chosenReviewers } from './domain/review/reviewers/chosen-reviewers.ts'
import type { Config } from './platform/config/config.ts'
import type { Store } from './platform/db/store.ts'
import type { Links } from './platform/http/links.ts'
import { startSandbox } from './sandbox.ts'

/**
 * Opens the reviewers, the service keys and the processor, and checks that they belong to this database.
 *
 * @throws Error in one line if they do not
 */
export async function admit(store: Store, config: Config, { links, clock }: { links: Links; clock: () => number }) {
  const reviewers = await chosenReviewers(config, store, links).open()
  const serviceKeys = await admitServiceKeys(store, config, clock())
  await refuseOtherMoney(store, config)
  if (config.stripe) return { reviewers, serviceKeys, stripe: createStripe(config.stripe) }
  if (config.payments === 'none') return { reviewers, serviceKeys }
  const sandbox = await startSandbox(config, { links, serviceKey: serviceKeys.newest.secret, clock })
  return { reviewers, serviceKeys, stripe: createStripe(sandbox.account), sandbox }
}
