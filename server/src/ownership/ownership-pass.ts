import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Secret } from '../secret.ts'
import type { CheckoutTable } from '../storage/schema.ts'

/** How somebody showed that a destination is theirs. */
type ProvedBy = CheckoutTable['proved_by']

/** How long a proof counts before it has to be given again. */
export const PASS_LIFETIME_MS = 60 * 60 * 1000

export const PASS_COOKIE = 'placard_pass'

/** What a pass is for. `linkVersion`: of the private link, where the destination is listed and has one. */
export interface Owned {
  destinationKey: string
  linkVersion: number | null | undefined
}

/**
 * Passes of browsers that showed a destination to be theirs, kept by the browser: a cookie that says how it was shown and
 * until when it counts, signed for one destination. Nothing is stored, so every instance knows it. Renewing the private
 * link ends those that were given for it.
 */
export class OwnershipPasses {
  readonly #key: Secret

  constructor(serviceKey: Secret) {
    this.#key = serviceKey.derive('placard ownership pass')
  }

  /** Cookie value of a pass that counts from now on. */
  give(owned: Owned, provedBy: ProvedBy, now: number): string {
    const until = now + PASS_LIFETIME_MS
    return `${provedBy}.${until}.${this.#sign(owned, provedBy, until)}`
  }

  /** How the destination was shown to be theirs; undefined where the cookie value is no running pass for it. */
  read(cookie: string | undefined, owned: Owned, now: number): ProvedBy | undefined {
    const [, provedBy, until, signature] = PASS.exec(cookie ?? '') ?? []
    if (!provedBy || !until || !signature || Number(until) <= now) return undefined
    const expected = this.#sign(owned, provedBy as ProvedBy, Number(until))
    return timingSafeEqual(Buffer.from(signature), Buffer.from(expected)) ? (provedBy as ProvedBy) : undefined
  }

  #sign({ destinationKey, linkVersion }: Owned, provedBy: ProvedBy, until: number): string {
    const version = provedBy === 'private_link' ? `${linkVersion} ` : ''
    return createHmac('sha256', this.#key.reveal())
      .update(`${provedBy} ${until} ${version}${destinationKey}`)
      .digest('base64url')
  }
}

const PASS = /^(private_link|well_known|meta_tag|dns_txt)\.(\d{13})\.([\w-]{43})$/
