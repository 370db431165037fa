import type { ProcessorName } from '../storage/schema.ts'

/** What a processor says of everything it tells: 1 where it moves money, 0 where it plays. */
export const LIVEMODE: Record<ProcessorName, 0 | 1> = { stripe: 1, stripe_test: 0, sandbox: 0 }

export const PROCESSOR_NAMES = Object.keys(LIVEMODE) as ProcessorName[]
