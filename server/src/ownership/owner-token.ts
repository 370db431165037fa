import { createHash, hkdfSync, timingSafeEqual } from 'node:crypto'
import { Secret } from '../secret.ts'

/** What a token belongs to: one claim, and one version of its private link. */
export interface LinkIdentity {
  claimId: string
  linkVersion: number
}

/**
 * The owner token of a private link, derived and never stored: HKDF-SHA-256 over the submission secret, salted with
 * the service key. A replay brings the secret again, so the link can be given again; a stolen database holds neither.
 */
export function deriveOwnerToken(submissionSecret: Secret, serviceKey: Secret, link: LinkIdentity): Secret {
  const info = `placard owner token ${link.claimId} ${link.linkVersion}`
  return new Secret(Buffer.from(hkdfSync('sha256', submissionSecret.reveal(), serviceKey.reveal(), info, 32)))
}

/** The token as it stands in the private link. */
export const ownerTokenText = (token: Secret): string => token.reveal().toString('base64url')

/** Reads a token from a private link; undefined where it is not one. */
export function parseOwnerToken(text: unknown): Secret | undefined {
  return typeof text === 'string' && /^[\w-]{43}$/.test(text) ? new Secret(Buffer.from(text, 'base64url')) : undefined
}

/** SHA-256 in hex: the only form in which a secret or token is stored. */
export const hashOf = (secret: Secret): string => createHash('sha256').update(secret.reveal()).digest('hex')

/** Whether a secret has the stored hash, in constant time. */
export function matchesHash(secret: Secret, storedHash: string): boolean {
  return timingSafeEqual(Buffer.from(hashOf(secret), 'hex'), Buffer.from(storedHash, 'hex'))
}
