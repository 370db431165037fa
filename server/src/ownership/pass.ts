import type { ServiceKeys } from '../keys/service-keys.ts'
import type { CheckoutTable } from '../storage/schema.ts'
import { SignedUntil } from './signed-until.ts'

/** How somebody proved that a destination is theirs. */
type ProvedBy = CheckoutTable['provedBy']

/** How long a proof lasts. */
export const PASS_LIFETIME_MS = 60 * 60 * 1000

export const PASS_COOKIE = 'placard_pass'

/** What a pass is for. `linkVersion` is the private link's, if the destination is listed and has one. */
export interface Owned {
  destinationKey: string
  linkVersion: number | null | undefined
}

/** A valid pass. */
export interface OwnershipPass {
  provedBy: ProvedBy
  /** Unix milliseconds. */
  until: number
}

/**
 * Passes for browsers that have proved ownership of a destination: a cookie that says how and until when, signed for
 * one destination. Renewing the private link ends the passes given for it.
 */
export class OwnershipPasses {
  readonly #signed: SignedUntil

  constructor(serviceKeys: ServiceKeys) {
    this.#signed = new SignedUntil(serviceKeys.derive('placard ownership pass'), PASS_LIFETIME_MS)
  }

  /** Cookie value of a pass that starts now. */
  give(owned: Owned, provedBy: ProvedBy, now: number): string {
    return `${provedBy}.${this.#signed.sign(subjectOf(owned, provedBy), now)}`
  }

  /** The pass in a cookie value; undefined if it is not valid for this destination now. */
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
