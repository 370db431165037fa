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

/** For its own fetcher, so that nobody waits for slow receivers. */
export const WEBHOOK_FETCH_LIMITS: Partial<FetchLimits> = { atOnceMax: AT_ONCE }

interface DeliveryDependencies {
  store: Store
  serviceKeys: ServiceKeys
  links: Links
  fetcher: GuardedFetcher
  clock: () => number
}

/** Posts notices to the webhooks of their listings: a few at once, and one per host, so that a slow one delays no other. */
export class Deliveries {
  readonly #deps: DeliveryDependencies
  readonly #failed: (error: unknown) => void
  readonly #underWay = new Map<string, Promise<void>>()

  /** @param failed called if a delivery could not be read or stored; it is tried again once its lease is over */
  constructor(deps: DeliveryDependencies, failed: (error: unknown) => void) {
    this.#deps = deps
    this.#failed = failed
  }

  /** Begins what is due, and waits for none of it. */
  async begin(stop: AbortSignal): Promise<void> {
    for (const due of await dueDeliveries(this.#deps.store, { now: this.#deps.clock() })) {
      if (stop.aborted || this.#underWay.size >= AT_ONCE) return
      if (this.#underWay.has(due.host)) continue
      const delivery = deliver(this.#deps, due, stop)
        .catch(this.#failed)
        .finally(() => this.#underWay.delete(due.host))
      this.#underWay.set(due.host, delivery)
    }
  }

  /** Resolves once none is under way. */
  async settled(): Promise<void> {
    await Promise.all(this.#underWay.values())
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
