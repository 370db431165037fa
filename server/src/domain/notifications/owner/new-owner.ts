import type { Trx } from '../../../platform/db/store.ts'
import type { ProofEffects } from '../../ownership/prove-owner.ts'
import { clearFeed } from './feed.ts'
import { endMail } from './mail-address.ts'
import { notifyFollower } from './notice.ts'
import { deleteWebhook, renewSecretWith } from './webhook.ts'

/** Effects of a website's proof on the notifications of its listing. */
export const PROOF_EFFECTS: ProofEffects = {
  onNewOwner: endNotifications,
  onWaiting: (trx, listingId, until, now) =>
    notifyFollower(trx, listingId, { kind: 'claim_waits', facts: { until } }, now),
}

/** Deletes the former owner's webhook, feed and mail, because another person has the listing now. */
async function endNotifications(trx: Trx, listingId: number): Promise<void> {
  await deleteWebhook(trx, listingId)
  await clearFeed(trx, listingId)
  await endMail(trx, listingId)
}

/** Returns a function that ends what belongs to a replaced private link. Its holder knew the webhook's secret. */
export const endsWithLink =
  (keys: Parameters<typeof renewSecretWith>[1]) =>
  async (trx: Trx, listingId: number, isNewOwner: boolean): Promise<void> => {
    if (isNewOwner) return endNotifications(trx, listingId)
    await renewSecretWith(trx, keys, listingId)
    await endMail(trx, listingId)
  }
