import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import { Secret } from '../secret.ts'

/** What a token belongs to: one claim, and one version of its private link. */
export interface LinkIdentity {
  claimId: string
  linkVersion: number
}

/** How often a private link can be renewed, less one: what a replay derives stays cheap. */
export const LINK_VERSIONS_MAX = 100

/**
 * The owner token of a private link, derived and never stored: HKDF-SHA-256 over the submission secret, salted with
 * the service key. A replay brings the secret again, so the link can be given again; a stolen database holds neither.
 * From the second version on, each token is derived from the one before it (`nextOwnerToken`).
 *
 * @param renewedWith the service keys of single versions, where they may have been others
 */
export function deriveOwnerToken(
  submissionSecret: Secret,
  serviceKey: Secret,
  { claimId, linkVersion }: LinkIdentity,
  renewedWith: ReadonlyMap<number, Secret> = new Map(),
): Secret {
  const info = `placard owner token ${claimId} 1`
  let token = new Secret(hkdfOfOneBlock(submissionSecret.reveal(), serviceKey.reveal(), info))
  for (let version = 2; version <= linkVersion; version++) {
    token = nextOwnerToken(token, renewedWith.get(version) ?? serviceKey, { claimId, linkVersion: version })
  }
  return token
}

/**
 * The token that takes the place of another one when a link is renewed. The service has no submission secret then, but
 * the owner brings the present token; a replay, which brings the secret, gets here from the first one. Nobody gets here
 * without the service key, so an old link says nothing about the present one.
 *
 * @param link with the version of the new token
 */
export function nextOwnerToken(token: Secret, serviceKey: Secret, link: LinkIdentity): Secret {
  const info = `placard renewed owner token ${link.claimId} ${link.linkVersion}`
  return new Secret(hkdfOfOneBlock(token.reveal(), serviceKey.reveal(), info))
}

/**
 * HKDF-SHA-256 (RFC 5869) for 32 bytes, which is one block: extract, then expand once. The same as `hkdfSync`, which
 * costs a replay a third of its time, because it starts a job and makes key objects.
 */
function hkdfOfOneBlock(input: Buffer, salt: Buffer, info: string): Buffer {
  const pseudoRandomKey = createHmac('sha256', salt).update(input).digest()
  return createHmac('sha256', pseudoRandomKey).update(`${info}\x01`).digest()
}

/** The token as it stands in the private link. */
export const ownerTokenText = (token: Secret): string => token.reveal().toString('base64url')

/** Reads a token from a private link; undefined where it is not one. */
export function parseOwnerToken(text: unknown): Secret | undefined {
  return typeof text === 'string' && /^[\w-]{43}$/.test(text)
    ? new Secret(Buffer.from(text, 'base64url'))
    : undefined
}

/** SHA-256 in hex: the only form in which a secret or token is stored. */
export const hashOf = (secret: Secret): string => hash('sha256', secret.reveal())

/** Whether a secret has the stored hash, in constant time. */
export function matchesHash(secret: Secret, storedHash: string): boolean {
  return timingSafeEqual(Buffer.from(hashOf(secret), 'hex'), Buffer.from(storedHash, 'hex'))
}
