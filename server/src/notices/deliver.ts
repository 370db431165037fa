import { setTimeout as sleep } from 'node:timers/promises'
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

const AT_ONCE = 8
const LOOK_EVERY_MS = 1000

/** For its own fetcher, so that nobody waits for slow receivers. */
export const WEBHOOK_FETCH_LIMITS: Partial<FetchLimits> = { atOnceMax: AT_ONCE }

interface DeliveryDependencies {
  store: Store
  serviceKeys: ServiceKeys
  links: Links
  fetcher: GuardedFetcher
  clock: () => number
}

/**
 * Posts the notices that are due to the webhooks of their listings, until none is under way: a few at once, and one per
 * host, so that a slow one delays no other.
 *
 * @throws what a delivery threw that could not be read or stored; it is tried again once its lease is over
 */
export async function deliverDue(deps: DeliveryDependencies, stop: AbortSignal): Promise<void> {
  const underWay = new Map<string, Promise<void>>()
  const failures: unknown[] = []
  const begin = (due: DueDelivery) => {
    const delivery = deliver(deps, due, stop)
      .catch(error => void failures.push(error))
      .finally(() => underWay.delete(due.host))
    underWay.set(due.host, delivery)
  }
  try {
    do {
      for (const due of await dueDeliveries(deps.store, { now: deps.clock() })) {
        if (!stop.aborted && underWay.size < AT_ONCE && !underWay.has(due.host)) begin(due)
      }
      if (underWay.size === 0) break
      // More may come while a slow receiver is waited for.
      await Promise.race([...underWay.values(), sleep(LOOK_EVERY_MS, undefined, { ref: false })])
    } while (failures.length === 0 && !stop.aborted)
  } finally {
    await Promise.all(underWay.values())
  }
  if (failures.length > 0) throw failures[0]
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
