import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Destination } from '../destinations/destination.ts'
import { withoutWww } from '../destinations/hostname.ts'
import type { ServiceKeys } from '../keys/service-keys.ts'
import { SignedUntil } from './signed-until.ts'

/** How long a token can be used, and the cookie it is derived from. */
export const PROOF_LIFETIME_MS = 24 * 60 * 60 * 1000

export const PROOF_COOKIE = 'placard_proof'

/** Where an owner can put the token. */
export type ProofPlace = 'well_known' | 'meta_tag' | 'dns_txt'

export type ProofOutcome =
  | { foundBy: ProofPlace }
  /** One sentence for each place about what was seen there, fit to be shown to anybody. */
  | { foundBy: undefined; findings: { place: ProofPlace; what: string }[] }

/** Looks for a token at the website of a destination. Never throws for what the network does. */
export type CheckSiteProof = (destination: Destination, token: string) => Promise<ProofOutcome>

/**
 * Tokens that owners put on their website. A token belongs to one browser, one destination and 24 hours: it is derived
 * from what a cookie of the browser says, and whoever reads it on the website cannot use it.
 */
export class SiteProofs {
  readonly #keys: ServiceKeys
  readonly #signed: SignedUntil

  constructor(serviceKeys: ServiceKeys) {
    this.#keys = serviceKeys.derive('placard site proof')
    this.#signed = new SignedUntil(serviceKeys.derive('placard site proof cookie'), PROOF_LIFETIME_MS)
  }

  /** Cookie value for a browser that is going to prove something: a nonce, and until when it counts, signed. */
  begin(now: number): string {
    const nonce = randomBytes(16).toString('base64url')
    return `${nonce}.${this.#signed.sign(nonce, now)}`
  }

  /** The token of a browser for a destination, and until when it counts; undefined for no running proof. */
  token(
    cookie: string | undefined,
    destinationKey: string,
    now: number,
  ): { token: string; until: number } | undefined {
    const [, nonce = '', signed] = PROOF.exec(cookie ?? '') ?? []
    const until = this.#signed.read(signed, nonce, now)
    if (until === undefined) return undefined
    // The key that was in use when it began: a token that was put on a website outlives a change of key.
    const [key = this.#keys.newest.secret] = this.#keys.inUseAt(until - PROOF_LIFETIME_MS)
    const token = createHmac('sha256', key.reveal())
      .update(`${until} ${nonce} ${destinationKey}`)
      .digest('base64url')
    return { token, until }
  }
}

const PROOF = /^([\w-]{22})\.(.+)$/s

/** Whether a text could be a token. */
export const looksLikeToken = (text: string): boolean => /^[\w-]{43}$/.test(text)

/** Whether a text from a website is the token, in constant time whatever its length. */
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

/** Where a token proves that a destination is somebody's, and in which form. One of them is enough. */
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
