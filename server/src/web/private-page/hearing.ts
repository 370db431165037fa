import type { ServiceKeys } from '../../keys/service-keys.ts'
import { feedTokenOf, findWatch } from '../../notices/watch.ts'
import { findWebhook, type Webhook, webhookSecretOf } from '../../notices/webhook.ts'
import type { Claim } from '../../ownership/claims.ts'
import type { Store } from '../../storage/store.ts'

/** How an owner hears of what happens. */
export interface Hearing {
  /** Of the listing’s feed, if it has one. */
  feedToken: string | undefined
  webhook: Webhook | undefined
  /** That its webhook signs with, if it has one. */
  webhookSecret: string | undefined
}

export async function readHearing(
  { store, serviceKeys }: { store: Store; serviceKeys: ServiceKeys },
  claim: Claim,
): Promise<Hearing> {
  const [watch, webhook] = await Promise.all([
    findWatch(store.db, claim.listing.id),
    findWebhook(store.db, claim.listing.id),
  ])
  return {
    feedToken: feedTokenOf(serviceKeys, claim, watch),
    webhook,
    webhookSecret: webhook && webhookSecretOf(serviceKeys, webhook),
  }
}
