import type { StripeConfig } from '../../platform/config/config.ts'
import type { Store } from '../../platform/db/store.ts'
import { applyEvent } from './apply-event.ts'
import { listEvents } from './stripe.ts'
import { type ProcessorEvent, readEventOf, readStripeEvent } from './stripe-events.ts'

/** What Stripe listed, and how many events the ledger did not have. */
export interface RecordedFromStripe {
  listed: number
  recorded: number
}

/**
 * Records every event about money that Stripe still has, and that the ledger does not, in the order in which they
 * happened. Each goes through the same function as a webhook delivery, so a repeat changes nothing.
 *
 * @throws Error in one line if Stripe gives no good answer; what was recorded stays
 */
export async function recordFromStripe(
  store: Store,
  config: StripeConfig,
  clock: () => number,
): Promise<RecordedFromStripe> {
  // Stripe lists the newest first. Only what the ledger keeps is held in memory, because events are large.
  const events: ProcessorEvent[] = []
  for await (const listed of listEvents(config)) {
    const event = readStripeEvent(readEventOf(listed), config.name)
    if (event) events.push(event)
  }
  let recorded = 0
  for (const event of events.reverse()) if ((await applyEvent(store, event, clock())) === 'applied') recorded++
  return { listed: events.length, recorded }
}
