import { createCipheriv, createDecipheriv, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Database } from '../../../platform/db/tables/index.ts'
import type { ServiceKeys } from '../../ownership/service-keys/service-keys.ts'

const CIPHER = 'aes-256-gcm'
const IV_BYTES = 12
const TAG_BYTES = 16

const keysOf = (serviceKeys: ServiceKeys) => serviceKeys.derive('placard owner mail')

type Encrypted = Pick<Database['owner_mail'], 'id' | 'address' | 'keyCheckValue'>

/** Encrypts an address for its row. It can't be decrypted in another row, nor without the service key. */
export function encryptAddress(serviceKeys: ServiceKeys, id: string, address: string): Omit<Encrypted, 'id'> {
  const { secret, checkValue } = keysOf(serviceKeys).newest
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv(CIPHER, secret.reveal(), iv).setAAD(Buffer.from(id))
  const text = Buffer.concat([cipher.update(address, 'utf8'), cipher.final()])
  return { address: Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64url'), keyCheckValue: checkValue }
}

/** Returns the address of a row; undefined if its service key is lost, or the row was changed. */
export function decryptAddress(serviceKeys: ServiceKeys, row: Encrypted): string | undefined {
  const key = keysOf(serviceKeys).withCheckValue(row.keyCheckValue)
  if (!key) return undefined
  const bytes = Buffer.from(row.address, 'base64url')
  try {
    const decipher = createDecipheriv(CIPHER, key.reveal(), bytes.subarray(0, IV_BYTES))
      .setAAD(Buffer.from(row.id))
      .setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES))
    return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString()
  } catch {
    return undefined
  }
}

/**
 * Returns keyed hashes of an address, by which it is found and counted: under each service key, the newest first. Upper
 * and lower case are the same address, as on nearly every mail server.
 *
 * @param use separates the counts of different uses
 */
export const addressHashes = (serviceKeys: ServiceKeys, address: string, use = ''): [string, ...string[]] =>
  serviceKeys
    .derive('placard owner mail hash')
    .all.map(({ secret }) =>
      createHmac('sha256', secret.reveal()).update(`${use} ${address.toLowerCase()}`).digest('hex'),
    ) as [string, ...string[]]

/** What a link in a mail does. */
export type MailLink = 'confirm' | 'off' | 'open'

/** Returns the token of a link in a mail. It is derived, so the database alone opens nothing. @param about a UUID first */
export function mailToken(serviceKeys: ServiceKeys, link: MailLink, [id, ...about]: readonly [string, ...unknown[]]) {
  return `${id}.${signature(keysOf(serviceKeys).newest.secret.reveal(), link, [id, ...about])}`
}

/** Returns the id in a token, before it is checked; undefined if it does not look like a token. */
export const idIn = (token: unknown): string | undefined =>
  typeof token === 'string' ? /^([0-9a-f-]{36})\.[\w-]{43}$/.exec(token)?.[1] : undefined

/** Whether a token is one of `mailToken` about the same things. @param since when it was made: a key replaced before is not accepted */
export function isMailToken(
  serviceKeys: ServiceKeys,
  token: string,
  link: MailLink,
  about: readonly [string, ...unknown[]],
  since: number,
): boolean {
  const given = Buffer.from(token.slice(token.indexOf('.') + 1))
  return keysOf(serviceKeys)
    .inUseAt(since)
    .some(key => timingSafeEqual(given, Buffer.from(signature(key.reveal(), link, about))))
}

const signature = (key: Buffer, link: MailLink, about: readonly unknown[]): string =>
  createHmac('sha256', key)
    .update(`${link} ${about.join(' ')}`)
    .digest('base64url')
