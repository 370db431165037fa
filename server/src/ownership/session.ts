import type { ServiceKeys } from '../keys/service-keys.ts'
import type { LinkIdentity } from './owner-token.ts'
import { SignedUntil } from './signed-until.ts'

/** How long a visit to the private page lasts before the link must be opened again. */
export const SESSION_LIFETIME_MS = 15 * 60 * 1000

export const SESSION_COOKIE = 'placard_owner'

/**
 * Visits to private pages: a cookie with an expiry, signed for one claim and one version of its link. Renewing the link
 * ends the visit.
 */
export class Sessions {
  readonly #signed: SignedUntil

  constructor(serviceKeys: ServiceKeys) {
    this.#signed = new SignedUntil(serviceKeys.derive('placard owner session'), SESSION_LIFETIME_MS)
  }

  /** Cookie value for a visit that starts now. */
  open(link: LinkIdentity, now: number): string {
    return this.#signed.sign(subjectOf(link), now)
  }

  /** Whether a cookie value is a current visit with exactly this link. */
  isOpen(cookie: string | undefined, link: LinkIdentity, now: number): boolean {
    return this.#signed.read(cookie, subjectOf(link), now) !== undefined
  }
}

const subjectOf = ({ claimId, linkVersion }: LinkIdentity) => `${claimId} ${linkVersion}`
