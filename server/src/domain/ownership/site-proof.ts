import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { Secret } from '../../platform/lib/secret.ts'
import { daysMs } from '../../platform/lib/time.ts'
import type { Destination } from '../destinations/destination.ts'
import { isOnSharedHost, withoutWww } from '../destinations/hostname.ts'
import { VERIFICATION } from '../review/page-parser/page-elements.ts'
import type { ServiceKeys } from './service-keys/service-keys.ts'
import { SignedUntil } from './signed-cookies.ts'

/** How long the present owner has to prove the website again, before another person's later proof takes effect. */
export const WAIT_DAYS = 3

/** How long a token is promised to work. A DNS record can take days to spread. */
const PROMISED_DAYS = 7

/**
 * Lifetime of a token, and of the cookie it is derived from. A person who must wait from the last promised day on still
 * has a day left after the wait.
 */
export const PROOF_LIFETIME_MS = daysMs(PROMISED_DAYS + WAIT_DAYS + 1)

export const PROOF_COOKIE = 'placard_proof'

/** Where an owner can put the token. */
export type ProofPlace = 'well_known' | 'meta_tag' | 'dns_txt'

/** What was found at each place instead of the token, in a sentence that is safe to show to anyone. */
export type ProofFindings = Partial<Record<ProofPlace, string>>

/** `isUnknown`: the service could not search everywhere, so a proof that was there may still be. */
export type ProofOutcome = { foundBy: ProofPlace } | { foundBy: undefined; findings: ProofFindings; isUnknown?: true }

/**
 * Searches a destination's website for a token, at each place that can prove it. Never throws for network errors.
 *
 * @param isToken recognises the token among the texts that the website has
 * @param networks of the client, broadest first
 */
export type CheckSiteProof = (
  destination: Destination,
  isToken: (text: string) => boolean,
  networks?: readonly string[],
) => Promise<ProofOutcome>

/** A proof that a browser has begun for a destination. */
export interface RunningProof {
  /** For the website. Anyone can read it there. */
  token: string
  /** Until when it is promised to work. */
  until: number
  /** Known only to this browser and this service. A private link that the proof gives is derived from it. */
  secret: Secret
}

/**
 * Tokens that owners put on their website. A token is for one browser and one destination, for some days. It is derived
 * from the browser's cookie, so anyone else who reads it on the website cannot use it.
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

  /** Returns the proof that a browser has begun for a destination; undefined if there is none. */
  running(cookie: string | undefined, destinationKey: string, now: number): RunningProof | undefined {
    const [, nonce = '', signed] = PROOF.exec(cookie ?? '') ?? []
    const until = this.#signed.read(signed, nonce, now)
    if (until === undefined) return undefined
    // The key in use when the proof began, so that a token on a website remains valid after a change of key.
    const [key = this.#keys.newest.secret] = this.#keys.inUseAt(until - PROOF_LIFETIME_MS)
    const derived = (purpose: string) =>
      createHmac('sha256', key.reveal()).update(`${purpose}${until} ${nonce} ${destinationKey}`).digest()
    const promised = until - PROOF_LIFETIME_MS + daysMs(PROMISED_DAYS)
    return {
      token: TOKEN_PREFIX + derived('').toString('hex', 0, TOKEN_BYTES),
      until: promised > now ? promised : until,
      secret: new Secret(derived('link ')),
    }
  }
}

const TOKEN_PREFIX = 'plc_'
const TOKEN_BYTES = 20
const PROOF = /^([\w-]{22})\.(.+)$/s

export const looksLikeToken = (text: string): boolean => /^plc_[0-9a-f]{40}$/.test(text)

/** Returns what recognises a token. It takes constant time, whatever the length of the text. */
export function tokenMatcher(token: string): (text: string) => boolean {
  const expected = hash('sha256', token, 'buffer')
  return text => timingSafeEqual(hash('sha256', text, 'buffer'), expected)
}

/** SHA-256 in hex: the form in which a proof is stored. */
export const tokenHashOf = (token: string): string => hash('sha256', token)

/**
 * Returns the places that can prove a destination. A file or a DNS record proves a whole host. Neither proves a single
 * page, nor a host under a name that many people share.
 */
export const placesFor = ({ key, hostname }: Destination): readonly ProofPlace[] =>
  key.includes('/') || isOnSharedHost(hostname) ? ['meta_tag'] : ['well_known', 'meta_tag', 'dns_txt']

export interface ProofTexts {
  fileUrl: string
  /** HTML for the head of the destination page. */
  metaTag: string
  /** The name of the TXT record. Its text is the token. */
  dnsName: string
}

/** Returns where a token proves ownership, and its form there. One is enough. */
export const proofTexts = ({ url, hostname }: Destination, token: string): ProofTexts => ({
  fileUrl: new URL('/.well-known/placard.txt', url).href,
  metaTag: `<meta name="${VERIFICATION}" content="${token}">`,
  dnsName: `_placard-challenge.${withoutWww(hostname)}`,
})
