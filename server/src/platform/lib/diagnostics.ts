import { channel } from 'node:diagnostics_channel'

/** An event for measurements. Without listeners, sending it does nothing. */
function fact<Fact>(name: string) {
  const facts = channel(name)
  return {
    publish: (it: Fact) => facts.publish(it),
    /** @returns a function that ends it */
    listen(listener: (it: Fact) => void): () => void {
      const receive = (it: unknown) => listener(it as Fact)
      facts.subscribe(receive)
      return () => void facts.unsubscribe(receive)
    },
  }
}

/** A reviewer, or the fetcher before them, was asked about a page. */
export const reviewed = fact<{ reviewer: string; ms: number }>('placard.reviewed')
/** An event of the processor entered the ledger. */
export const entered = fact<{ kind: string }>('placard.entered')
/** An event that the processor sent was refused. */
export const refusedEvent = fact<Record<string, never>>('placard.refused-event')
/** The nightly reconcile ended. */
export const reconciled = fact<{ differences: number }>('placard.reconciled')
/** Counts of a board in memory differed from those in the database. */
export const countsDiffered = fact<{ board: string }>('placard.counts-differed')
/** Another host of DATABASE_URL accepts writes now, and this process connects to it. */
export const databaseMoved = fact<{ from: string; to: string }>('placard.database-moved')

/** How much of a limited resource is in use, and how many wait for it. */
export interface Use {
  busy: number
  idle?: number
  waiting: number
}
