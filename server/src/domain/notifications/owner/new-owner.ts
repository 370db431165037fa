import type { Trx } from '../../../platform/db/store.ts'
import type { ProofEffects } from '../../ownership/prove-owner.ts'
import { clearFeed } from './feed.ts'
import { endMail } from './mail-address.ts'
import { notifyFollower } from './notice.ts'
import { deleteWebhook, renewSecretWith } from './webhook.ts'

/** What follows from the proof of a website for the notifications of its listing. */
export const PROOF_EFFECTS: ProofEffects = {
  onNewOwner: endNotifications,
  onWaiting: (trx, listingId, until, now) =>
    notifyFollower(trx, listingId, { kind: 'claim_waits', facts: { until } }, now),
}

/** Ends what the holder of the old link has set up, because another person has the listing now. */
async function endNotifications(trx: Trx, listingId: number): Promise<void> {
  await deleteWebhook(trx, listingId)
  await clearFeed(trx, listingId)
  await endMail(trx, listingId)
}

/** Returns what ends with a private link that an operator replaces: its holder knew the secret of the webhook. */
export const endsWithLink =
  (keys: Parameters<typeof renewSecretWith>[1]) =>
  async (trx: Trx, listingId: number, isNewOwner: boolean): Promise<void> => {
    if (isNewOwner) return endNotifications(trx, listingId)
    await renewSecretWith(trx, keys, listingId)
    await endMail(trx, listingId)
  }
