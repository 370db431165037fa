import { hash, timingSafeEqual } from 'node:crypto'
import { statement } from '../../platform/db/statement.ts'
import type { Db, Store } from '../../platform/db/store.ts'
import { Secret } from '../../platform/lib/secret.ts'
import type { ServiceKeys } from './service-keys/service-keys.ts'

/** What a token belongs to: one claim, and one version of its private link. */
export interface LinkIdentity {
  claimId: string
  linkVersion: number
}

/** How a version of a link was made. */
export interface Renewal {
  /** Undefined if it is not available. */
  key: Secret | undefined
  /** Of a reissued link, in hex. */
  nonce: string | null
  /** Whether a proof of the website gave it, which a replay does not have. */
  isByProof: boolean
}

/** The most versions a link can have without a proof, so that deriving them in a replay stays cheap. */
export const LINK_VERSIONS_MAX = 100

/**
 * Returns the owner token of a private link. It is derived and never stored: HKDF-SHA-256 over the submission secret,
 * salted with the service key. A replay contains the secret, so the link can be recovered; a stolen database contains
 * neither.
 *
 * From the second version on, each token is derived from the previous one (`nextOwnerToken`). If an operator reissued
 * the link (`reissuedOwnerToken`), later ones follow from that.
 *
 * @param renewals how each version from the second on was made; by default with this key, from the previous one
 */
export function deriveOwnerToken(
  submissionSecret: Secret,
  serviceKey: Secret,
  { claimId, linkVersion }: LinkIdentity,
  renewals: ReadonlyMap<number, Renewal> = new Map(),
): Secret {
  const info = `placard owner token ${claimId} 1`
  let token = new Secret(hkdfOfOneBlock(submissionSecret.reveal(), serviceKey.reveal(), info))
  for (let version = 2; version <= linkVersion; version++) {
    const { key = serviceKey, nonce = null } = renewals.get(version) ?? {}
    const link = { claimId, linkVersion: version }
    token = nonce === null ? nextOwnerToken(token, key, link) : reissuedOwnerToken(nonce, key, link)
  }
  return token
}

/**
 * Returns the token after a link is renewed. The service has no submission secret then, but the owner presents the
 * current token. A replay, which contains the secret, derives it from the first one. This needs the service key, so an
 * old link reveals nothing about the current one.
 *
 * @param link with the version of the new token
 */
export function nextOwnerToken(token: Secret, serviceKey: Secret, link: LinkIdentity): Secret {
  const info = `placard renewed owner token ${link.claimId} ${link.linkVersion}`
  return new Secret(hkdfOfOneBlock(token.reveal(), serviceKey.reveal(), info))
}

/**
 * Returns the token of a link that an operator reissues. The owner has lost the previous one, so it is derived from a
 * random value. The database alone, or the service key alone, is not enough to derive it.
 *
 * @param nonce 32 bytes in hex
 * @param link with the version of the new token
 */
export function reissuedOwnerToken(nonce: string, serviceKey: Secret, link: LinkIdentity): Secret {
  const info = `placard reissued owner token ${link.claimId} ${link.linkVersion}`
  return new Secret(hkdfOfOneBlock(Buffer.from(nonce, 'hex'), serviceKey.reveal(), info))
}

/**
 * Returns the token of a link that a proof of the website gives. It is derived, so that the same browser gets the same
 * link again, as after a lost reply.
 *
 * @param secret of the running proof, which is not on the website
 */
export function provenOwnerToken(secret: Secret, serviceKey: Secret, link: LinkIdentity): Secret {
  const info = `placard proven owner token ${link.claimId} ${link.linkVersion}`
  return new Secret(hkdfOfOneBlock(secret.reveal(), serviceKey.reveal(), info))
}

/**
 * HKDF-SHA-256 (RFC 5869) for 32 bytes, which is one block: extract, then expand once. `hkdfSync` gives the same, but
 * takes a third of a replay's time, because it starts a job and creates key objects.
 */
function hkdfOfOneBlock(input: Buffer, salt: Buffer, info: string): Buffer {
  return hmac(hmac(salt, input), Buffer.from(`${info}\x01`))
}

/**
 * HMAC-SHA-256 (RFC 2104) with a key of 32 bytes. `createHmac` makes a stream and a native object, which costs a replay a
 * twentieth of its time.
 *
 * @throws RangeError for a message of over 192 bytes
 */
const hmac = (key: Buffer, message: Buffer): Buffer => hashPadded(key, 0x5c, hashPadded(key, 0x36, message))

const BLOCK_BYTES = 64

/** Reused for each hash, because allocating buffers takes as long as hashing them. */
const scratch = Buffer.alloc(BLOCK_BYTES + 192)

function hashPadded(key: Buffer, pad: number, message: Buffer): Buffer {
  scratch.fill(pad, 0, BLOCK_BYTES)
  for (let at = 0; at < key.length; at++) scratch[at] = pad ^ (key[at] ?? 0)
  scratch.set(message, BLOCK_BYTES)
  return sha256(scratch.subarray(0, BLOCK_BYTES + message.length))
}

/** Via a string, because a hash as a buffer takes three times as long. */
const sha256 = (bytes: Buffer): Buffer => Buffer.from(hash('sha256', bytes, 'binary'), 'binary')

/** The token as written in the private link. */
export const ownerTokenText = (token: Secret): string => token.reveal().toString('base64url')

/** Parses a token from a private link; undefined if it is not one. */
export function parseOwnerToken(text: unknown): Secret | undefined {
  return typeof text === 'string' && /^[\w-]{43}$/.test(text) ? new Secret(Buffer.from(text, 'base64url')) : undefined
}

/** SHA-256 in hex: the only form in which a secret or token is stored. */
export const hashOf = (secret: Secret): string => hash('sha256', secret.reveal())

/** Used in place of a stored hash, so that what does not exist takes as long as a wrong secret. */
const NO_HASH = '0'.repeat(64)

/** Whether a secret has the stored hash, in constant time. */
export function matchesHash(secret: Secret, storedHash: string | null | undefined): boolean {
  return timingSafeEqual(Buffer.from(hashOf(secret), 'hex'), Buffer.from(storedHash ?? NO_HASH, 'hex'))
}

/**
 * Returns the current private link's token, recovered from the submission secret. It is always checked against the
 * stored hash, because any other token opens nothing.
 *
 * @returns why not, if it can't be recovered: no available key does, or a proof of the website gave another person the
 * link
 */
export async function recoverOwnerToken(
  db: Db,
  serviceKeys: ServiceKeys,
  link: LinkIdentity & { ownerTokenHash: string },
  submissionSecret: Secret,
): Promise<Secret | 'key_missing' | 'given_by_proof'> {
  const renewals = link.linkVersion > 1 ? await renewalsOf(db, serviceKeys, link.claimId) : undefined
  if (renewals && [...renewals.values()].some(({ isByProof }) => isByProof)) return 'given_by_proof'
  for (const { secret } of serviceKeys.all) {
    const token = deriveOwnerToken(submissionSecret, secret, link, renewals)
    if (matchesHash(token, link.ownerTokenHash)) return token
  }
  return 'key_missing'
}

/** Returns whether a proof of the website gave another person the link, so that no submission secret recovers it. */
export const isGivenByProof = async (store: Store, { claimId, linkVersion }: LinkIdentity): Promise<boolean> =>
  linkVersion > 1 && (await linksByProof(store, { claimId })).length > 0

const linksByProof = statement({ claimId: 'text' }, ({ claimId }, db) =>
  db.selectFrom('renewed_link').select('linkVersion').where('claimId', '=', claimId).where('byProof', '=', 1).limit(1),
)

/** By version. Before keys were recorded, a link only ever had its first one. */
async function renewalsOf(db: Db, serviceKeys: ServiceKeys, claimId: string): Promise<Map<number, Renewal>> {
  const renewals = await db.selectFrom('renewed_link').selectAll().where('claimId', '=', claimId).execute()
  return new Map(
    renewals.map(({ linkVersion, keyCheckValue, nonce, byProof }) => [
      linkVersion,
      { key: serviceKeys.withCheckValue(keyCheckValue), nonce, isByProof: byProof === 1 },
    ]),
  )
}
