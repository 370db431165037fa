import type { ServiceKeys } from '../keys/service-keys.ts'
import type { CheckoutTable } from '../storage/schema.ts'
import { SignedUntil } from './signed-until.ts'

/** How somebody showed that a destination is theirs. */
type ProvedBy = CheckoutTable['provedBy']

/** How long a proof counts before it has to be given again. */
export const PASS_LIFETIME_MS = 60 * 60 * 1000

export const PASS_COOKIE = 'placard_pass'

/** What a pass is for. `linkVersion`: of the private link, where the destination is listed and has one. */
export interface Owned {
  destinationKey: string
  linkVersion: number | null | undefined
}

/** A pass that counts. */
export interface OwnershipPass {
  provedBy: ProvedBy
  /** Unix milliseconds. */
  until: number
}

/**
 * Passes of browsers that showed a destination to be theirs, kept by the browser: a cookie that says how it was shown and
 * until when it counts, signed for one destination. Renewing the private link ends those that were given for it.
 */
export class OwnershipPasses {
  readonly #signed: SignedUntil

  constructor(serviceKeys: ServiceKeys) {
    this.#signed = new SignedUntil(serviceKeys.derive('placard ownership pass'), PASS_LIFETIME_MS)
  }

  /** Cookie value of a pass that counts from now on. */
  give(owned: Owned, provedBy: ProvedBy, now: number): string {
    return `${provedBy}.${this.#signed.sign(subjectOf(owned, provedBy), now)}`
  }

  /** The pass of a cookie value; undefined where that is no running one for this destination. */
  read(cookie: string | undefined, owned: Owned, now: number): OwnershipPass | undefined {
    const [, by, signed] = PASS.exec(cookie ?? '') ?? []
    const provedBy = by as ProvedBy
    const until = this.#signed.read(signed, subjectOf(owned, provedBy), now)
    return until === undefined ? undefined : { provedBy, until }
  }
}

function subjectOf({ destinationKey, linkVersion }: Owned, provedBy: ProvedBy): string {
  const version = provedBy === 'private_link' ? `${linkVersion} ` : ''
  return `${provedBy} ${version}${destinationKey}`
}

const PASS = /^(private_link|well_known|meta_tag|dns_txt)\.(.+)$/s
