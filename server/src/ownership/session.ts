import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Secret } from '../secret.ts'
import type { LinkIdentity } from './owner-token.ts'

/** How long a visit to the private page lasts before its link has to be opened again. */
export const SESSION_LIFETIME_MS = 15 * 60 * 1000

export const SESSION_COOKIE = 'placard_owner'

/**
 * Visits to private pages, kept by the visitor: a cookie that says until when, signed for one claim and one version of
 * its link. Nothing is stored, so every instance knows it, and renewing the link ends it.
 */
export class Sessions {
  readonly #key: Secret

  constructor(serviceKey: Secret) {
    this.#key = serviceKey.derive('placard owner session')
  }

  /** Cookie value for a visit that starts now. */
  open(link: LinkIdentity, now: number): string {
    const until = now + SESSION_LIFETIME_MS
    return `${until}.${this.#sign(link, until)}`
  }

  /** Whether a cookie value is a running visit to this very link. */
  isOpen(cookie: string | undefined, link: LinkIdentity, now: number): boolean {
    const [, until, signature] = /^(\d{13})\.([\w-]{43})$/.exec(cookie ?? '') ?? []
    if (!until || !signature || Number(until) <= now) return false
    return timingSafeEqual(Buffer.from(signature), Buffer.from(this.#sign(link, Number(until))))
  }

  #sign({ claimId, linkVersion }: LinkIdentity, until: number): string {
    return createHmac('sha256', this.#key.reveal())
      .update(`${claimId} ${linkVersion} ${until}`)
      .digest('base64url')
  }
}
