import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Database } from '../../platform/db/tables/index.ts'
import type { Secret } from '../../platform/lib/secret.ts'
import { HOUR_MS, MINUTE_MS } from '../../platform/lib/time.ts'
import type { LinkIdentity } from './owner-token.ts'
import type { ServiceKeys } from './service-keys/service-keys.ts'

/** How a person proved that a destination is theirs. */
type ProvedBy = Database['checkout']['provedBy']

/** How long a proof lasts. */
export const PASS_LIFETIME_MS = HOUR_MS

export const PASS_COOKIE = 'placard_pass'

/** What a pass is for. `linkVersion` is the private link's, if the destination is listed and has one. */
export interface Owned {
  destinationKey: string
  linkVersion: number | null | undefined
}

/** A valid pass. */
export interface OwnershipPass {
  provedBy: ProvedBy
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
    return `${provedBy}.${this.#signed.sign(passSubject(owned, provedBy), now)}`
  }

  /** The pass in a cookie value; undefined if it is not valid for this destination now. */
  read(cookie: string | undefined, owned: Owned, now: number): OwnershipPass | undefined {
    const [, by, signed] = PASS.exec(cookie ?? '') ?? []
    const provedBy = by as ProvedBy
    const until = this.#signed.read(signed, passSubject(owned, provedBy), now)
    return until === undefined ? undefined : { provedBy, until }
  }
}

function passSubject({ destinationKey, linkVersion }: Owned, provedBy: ProvedBy): string {
  const version = provedBy === 'private_link' ? `${linkVersion} ` : ''
  return `${provedBy} ${version}${destinationKey}`
}

const PASS = /^(private_link|well_known|meta_tag|dns_txt)\.(.+)$/s

/** How long a visit to the private page lasts before the link must be opened again. */
export const SESSION_LIFETIME_MS = 15 * MINUTE_MS

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
    return this.#signed.sign(sessionSubject(link), now)
  }

  /** Whether a cookie value is a current visit with exactly this link. */
  isOpen(cookie: string | undefined, link: LinkIdentity, now: number): boolean {
    return this.#signed.read(cookie, sessionSubject(link), now) !== undefined
  }
}

const sessionSubject = ({ claimId, linkVersion }: LinkIdentity) => `${claimId} ${linkVersion}`

/**
 * A signed expiry, for cookies that need no storage, so that every instance can check them. The signature covers a
 * subject, which the cookie does not contain.
 */
export class SignedUntil {
  readonly #keys: ServiceKeys
  readonly #lifetimeMs: number

  /** @param keys keys for one purpose, see `ServiceKeys.derive` */
  constructor(keys: ServiceKeys, lifetimeMs: number) {
    this.#keys = keys
    this.#lifetimeMs = lifetimeMs
  }

  /** Valid from `now` for its lifetime. */
  sign(subject: string, now: number): string {
    return signed(subject, now + this.#lifetimeMs, this.#keys.newest.secret)
  }

  /** The expiry of a text; undefined if it is not for this subject, or has expired at `now`. */
  read(text: string | undefined, subject: string, now: number): number | undefined {
    const until = Number(/^(\d{13})\./.exec(text ?? '')?.[1])
    if (text === undefined || !(until > now)) return undefined
    const given = Buffer.from(text)
    const isSigned = this.#keys.inUseAt(until - this.#lifetimeMs).some(key => {
      const expected = Buffer.from(signed(subject, until, key))
      return given.length === expected.length && timingSafeEqual(given, expected)
    })
    return isSigned ? until : undefined
  }
}

/** @param until Unix milliseconds, of thirteen digits */
function signed(subject: string, until: number, key: Secret): string {
  const signature = createHmac('sha256', key.reveal()).update(`${until} ${subject}`).digest('base64url')
  return `${until}.${signature}`
}
