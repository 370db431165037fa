import type { Receipt } from '@placard/contract'
import type { PrivateLink } from './secret.ts'

/** What to publish. `userApproved` must be true, and only the customer's explicit yes makes it so. */
export interface PublishRequest {
  destination: string
  /** An English category ID from `capabilities`. */
  category: string
  userApproved: boolean
}

/** A receipt that is safe to print and store: the private link is taken out. */
export type PublicReceipt = Omit<Receipt, 'ownership'> & {
  ownership: Omit<Receipt['ownership'], 'privateRecoveryUrl'>
}

/** A listing, as its receipt shows it now. */
export interface Publication {
  receipt: PublicReceipt
  /** Manages the listing; present while it is published. Prints as `[private link]`. */
  privateLink?: PrivateLink
  /** True where this submission had been accepted before, and this is its receipt again. */
  replayed: boolean
}
