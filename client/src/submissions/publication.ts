import { PrivateLink } from '../secret.ts'
import type { Answer } from '../service/exchange.ts'
import type { Receipt } from '../service/replies.ts'

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
  /** The decision that took the listing down, if it is down: see `PlacardClient.decision`. */
  decisionId?: string
}

/** Returns the publication in the service's answer. */
export function publicationFrom({ status, body, decisionId }: Answer<Receipt>): Publication {
  const { privateRecoveryUrl, ...ownership } = body.ownership
  return {
    receipt: { ...body, ownership },
    ...(privateRecoveryUrl === undefined ? {} : { privateLink: new PrivateLink(privateRecoveryUrl) }),
    replayed: status === 200,
    ...(decisionId !== undefined && { decisionId }),
  }
}
