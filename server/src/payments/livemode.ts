import type { ProcessorName } from '../storage/schema.ts'

/** The `livemode` of each processor's events: 1 if it moves money, 0 if it does not. */
export const LIVEMODE: Record<ProcessorName, 0 | 1> = { stripe: 1, stripe_test: 0, sandbox: 0 }

export const PROCESSOR_NAMES = Object.keys(LIVEMODE) as ProcessorName[]
