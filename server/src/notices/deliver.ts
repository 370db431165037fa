import { FetchEnded } from '../fetcher/fetch-ended.ts'
import type { GuardedFetcher } from '../fetcher/guarded-fetcher.ts'
import type { FetchLimits } from '../fetcher/limits.ts'
import type { Links } from '../http/links.ts'
import type { ServiceKeys } from '../keys/service-keys.ts'
import type { Store } from '../storage/store.ts'
import { type DueDelivery, dueDeliveries, leaseDelivery, settleDelivery } from './delivery-queue.ts'
import { eventOf, signedMessage } from './event.ts'
import { withNames } from './notice.ts'
import { turnOff, webhookSecretOf } from './webhook.ts'
import { parseWebhookAddress } from './webhook-address.ts'

const AT_ONCE = 4

/** For its own fetcher, so that nobody waits for slow receivers. */
export const WEBHOOK_FETCH_LIMITS: Partial<FetchLimits> = { atOnceMax: AT_ONCE, waitMs: 15_000 }

interface DeliveryDependencies {
  store: Store
  serviceKeys: ServiceKeys
  links: Links
  fetcher: GuardedFetcher
  clock: () => number
}

/** Posts every notice that is due to the webhook of its listing. */
export async function deliverDue(deps: DeliveryDependencies, stop: AbortSignal): Promise<void> {
  for (;;) {
    const due = await dueDeliveries(deps.store, { now: deps.clock() })
    if (due.length === 0) return
    const takeNext = async () => {
      for (let next = due.shift(); next && !stop.aborted; next = due.shift()) await deliver(deps, next, stop)
    }
    await Promise.all(Array.from({ length: AT_ONCE }, takeNext))
    if (stop.aborted) return
  }
}

async function deliver(deps: DeliveryDependencies, due: DueDelivery, stop: AbortSignal): Promise<void> {
  const { store, serviceKeys, links, fetcher, clock } = deps
  const leased = await leaseDelivery(store, due, clock())
  if (!leased) return
  const secret = webhookSecretOf(serviceKeys, leased)
  if (secret === undefined) {
    return store.transact(trx => turnOff(trx, leased.listingId, 'key_lost', clock()))
  }
  const address = parseWebhookAddress(leased.webhookUrl, links.hostname)
  const [notice] = await withNames(store, [leased])
  if (!address || !notice) return settleDelivery(store, leased, undefined, clock())
  const message = signedMessage(leased.id, eventOf(notice, leased, links), secret, clock())
  const posted = await fetcher.visit(
    address,
    async (_get, post) => ({ status: await post(address, message) }),
    stop,
  )
  // Without a turn, nothing was sent. The lease runs out, and then it is tried again.
  if (stop.aborted || posted instanceof FetchEnded) return
  const { status } = posted
  await settleDelivery(store, leased, status instanceof FetchEnded ? undefined : status, clock())
}
