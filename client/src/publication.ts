import type { Receipt } from '@placard/contract'
import type { PrivateLink } from './secret.ts'

/** What to publish. Set `userApproved` to true only after the customer's explicit yes. */
export interface PublishRequest {
  destination: string
  /** An English category ID from `capabilities`. */
  category: string
  userApproved: boolean
}

/** A receipt without its private link, safe to print and store. */
export type PublicReceipt = Omit<Receipt, 'ownership'> & {
  ownership: Omit<Receipt['ownership'], 'privateRecoveryUrl'>
}

/** A listing with its current receipt. */
export interface Publication {
  receipt: PublicReceipt
  /** Manages the listing; present while it is published. Prints as `[private link]`. */
  privateLink?: PrivateLink
  /** True if this submission was already accepted, and this is its receipt again. */
  replayed: boolean
}
