import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Destination } from '../destinations/destination.ts'
import { withoutWww } from '../destinations/hostname.ts'
import type { ServiceKeys } from './service-keys/service-keys.ts'
import { SignedUntil } from './signed-cookies.ts'

/** Lifetime of a token, and of the cookie it is derived from. */
export const PROOF_LIFETIME_MS = 24 * 60 * 60 * 1000

export const PROOF_COOKIE = 'placard_proof'

/** Where an owner can put the token. */
export type ProofPlace = 'well_known' | 'meta_tag' | 'dns_txt'

export type ProofOutcome =
  | { foundBy: ProofPlace }
  /** For each place, a sentence about what was found there, safe to show to anyone. */
  | { foundBy: undefined; findings: { place: ProofPlace; what: string }[] }

/**
 * Searches a destination's website for a token. Never throws for network errors.
 *
 * @param networks of the client, broadest first
 */
export type CheckSiteProof = (
  destination: Destination,
  token: string,
  networks?: readonly string[],
) => Promise<ProofOutcome>

/**
 * Tokens that owners put on their website. A token is for one browser, one destination and 24 hours. It is derived from
 * the browser's cookie, so anyone else who reads it on the website cannot use it.
 */
export class SiteProofs {
  readonly #keys: ServiceKeys
  readonly #signed: SignedUntil

  constructor(serviceKeys: ServiceKeys) {
    this.#keys = serviceKeys.derive('placard site proof')
    this.#signed = new SignedUntil(serviceKeys.derive('placard site proof cookie'), PROOF_LIFETIME_MS)
  }

  /** Returns the cookie value that starts a proof: a nonce and its expiry, signed. */
  begin(now: number): string {
    const nonce = randomBytes(16).toString('base64url')
    return `${nonce}.${this.#signed.sign(nonce, now)}`
  }

  /** Returns a browser's token for a destination, and its expiry; undefined without a running proof. */
  token(cookie: string | undefined, destinationKey: string, now: number): { token: string; until: number } | undefined {
    const [, nonce = '', signed] = PROOF.exec(cookie ?? '') ?? []
    const until = this.#signed.read(signed, nonce, now)
    if (until === undefined) return undefined
    // The key in use when the proof began, so that a token on a website remains valid after a change of key.
    const [key = this.#keys.newest.secret] = this.#keys.inUseAt(until - PROOF_LIFETIME_MS)
    const token = createHmac('sha256', key.reveal()).update(`${until} ${nonce} ${destinationKey}`).digest('base64url')
    return { token, until }
  }
}

const PROOF = /^([\w-]{22})\.(.+)$/s

/** Returns whether a text could be a token. */
export const looksLikeToken = (text: string): boolean => /^[\w-]{43}$/.test(text)

/** Returns whether a text from a website is the token. Takes constant time, whatever its length. */
export const isToken = (text: string, token: string): boolean =>
  timingSafeEqual(hash('sha256', text, 'buffer'), hash('sha256', token, 'buffer'))

export interface ProofPlaces {
  fileUrl: string
  /** The whole file, or one line of it. */
  fileText: string
  /** HTML for the head of the destination page. */
  metaTag: string
  dnsName: string
  /** The whole text of one TXT record. */
  dnsText: string
}

/** Returns the places where a token proves ownership, and its form in each. One is enough. */
export function proofPlaces({ url, hostname }: Destination, token: string): ProofPlaces {
  return {
    fileUrl: new URL('/.well-known/placard.txt', url).href,
    fileText: token,
    metaTag: `<meta name="placard-verification" content="${token}">`,
    dnsName: `_placard.${withoutWww(hostname)}`,
    dnsText: `${DNS_PREFIX}${token}`,
  }
}

export const DNS_PREFIX = 'placard-verification='
