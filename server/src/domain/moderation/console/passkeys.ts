import { hash } from 'node:crypto'
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import type { Db, Store, Trx } from '../../../platform/db/store.ts'
import type { Links } from '../../../platform/http/links.ts'
import { MINUTE_MS } from '../../../platform/lib/time.ts'
import { type ConsoleSession, hashOf, isToken, newToken, openSession } from './sessions.ts'
import { acceptInvitation } from './users.ts'

/** How long a browser may take to answer. */
export const CHALLENGE_LIFETIME_MS = 5 * MINUTE_MS

export const CHALLENGE_COOKIE = 'placard_challenge'

/** Why no passkey was accepted. */
export type PasskeyProblem = 'challenge' | 'failed' | 'unknown' | 'copied' | 'known' | 'invitation'

/** Its message is the problem. */
export class PasskeyRefused extends Error {
  declare message: PasskeyProblem
}

/** What a browser sends: the challenge from its cookie, and the answer of the passkey as JSON. */
export interface Answer {
  challenge: unknown
  json: unknown
  now: number
}

/** ES256, RS256 and EdDSA, which all versions of Node verify. */
const ALGORITHMS = [-7, -257, -8]

/** Loaded at the first sign-in, because most processes never need it. */
const library = () => import('@simplewebauthn/server')

/** The same for all passkeys of a user, so that a device has one for each, and reveals no name. */
const handleOf = (name: string) => hash('sha256', `placard console user ${name}`, 'base64url')

/**
 * Returns a challenge, and the options with which a browser has a passkey sign it.
 *
 * @param name of the user for whom the browser creates a passkey; without it, any passkey of this site signs in
 */
export async function newOptions(store: Store, links: Links, name: string | undefined, now: number) {
  const challenge = newToken()
  const row = { hash: hashOf(challenge), endsAt: now + CHALLENGE_LIFETIME_MS }
  await store.transact(trx => trx.insertInto('console_challenge').values(row).execute())
  const { generateAuthenticationOptions, generateRegistrationOptions } = await library()
  const common = {
    rpID: links.hostname,
    challenge: Buffer.from(challenge, 'base64url'),
    timeout: CHALLENGE_LIFETIME_MS,
  }
  const options =
    name === undefined
      ? await generateAuthenticationOptions({ ...common, userVerification: 'required' })
      : await generateRegistrationOptions({
          ...common,
          rpName: links.site.name,
          userName: name,
          userID: Buffer.from(handleOf(name), 'base64url'),
          excludeCredentials: (await listPasskeys(store.db, name)).map(({ id }) => ({ id })),
          authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
          supportedAlgorithmIDs: ALGORITHMS,
        })
  return { options, challenge }
}

/**
 * Opens a session for the user of a passkey.
 *
 * @returns the token for the cookie
 * @throws PasskeyRefused
 */
export async function signIn(store: Store, links: Links, answer: Answer): Promise<string> {
  const { now } = answer
  const { response, expected } = await read<AuthenticationResponseJSON>(store, links, answer)
  const passkey = await store.db
    .selectFrom('console_passkey')
    .select(['id', 'name', 'publicKey', 'counter'])
    .where('id', '=', String(response.id))
    .executeTakeFirst()
  if (!passkey) throw new PasskeyRefused('unknown')
  if (response.response?.userHandle !== handleOf(passkey.name)) throw new PasskeyRefused('failed')
  const { verifyAuthenticationResponse } = await library()
  // The counter is compared below, because the library compares it before it checks the signature.
  const credential = { id: passkey.id, publicKey: Buffer.from(passkey.publicKey, 'base64url'), counter: 0 }
  const checked = await verifyAuthenticationResponse({ response, credential, ...expected }).catch(refuse)
  if (!checked.verified) throw new PasskeyRefused('failed')
  const [counter, before] = [checked.authenticationInfo.newCounter, Number(passkey.counter)]
  // WebAuthn 7.2: a counter that doesn't rise is a sign of a copy. Synchronised passkeys always send 0.
  if ((counter > 0 || before > 0) && counter <= before) throw new PasskeyRefused('copied')
  return store.transact(async trx => {
    // Finds no row if the passkey was removed, or answered with this counter, since it was read.
    const { numUpdatedRows } = await trx
      .updateTable('console_passkey')
      .set({ counter, usedAt: now })
      .where('id', '=', passkey.id)
      .where('counter', '=', passkey.counter)
      .executeTakeFirst()
    if (numUpdatedRows === 0n) throw new PasskeyRefused('unknown')
    return openSession(trx, passkey.name, now)
  })
}

/** Adds a passkey of a signed-in user. @throws PasskeyRefused */
export async function addPasskey(store: Store, links: Links, name: string, label: string, answer: Answer) {
  const credential = await readCredential(store, links, answer)
  await store.transact(trx => insert(trx, name, label, credential, answer.now))
}

/**
 * Uses up an invitation: its user gets a role, a passkey and a session. Without an accepted passkey, it stays valid.
 *
 * @returns the token for the cookie
 * @throws PasskeyRefused
 */
export async function enterInvited(store: Store, links: Links, token: string, label: string, answer: Answer) {
  const credential = await readCredential(store, links, answer)
  return store.transact(async trx => {
    const name = await acceptInvitation(trx, token, answer.now)
    if (name === undefined) throw new PasskeyRefused('invitation')
    await insert(trx, name, label, credential, answer.now)
    return openSession(trx, name, answer.now)
  })
}

async function readCredential(store: Store, links: Links, answer: Answer) {
  const { response, expected } = await read<RegistrationResponseJSON>(store, links, answer)
  if (!(await isUncertified(response))) throw new PasskeyRefused('failed')
  const { verifyRegistrationResponse } = await library()
  const options = { response, supportedAlgorithmIDs: ALGORITHMS, ...expected }
  const checked = await verifyRegistrationResponse(options).catch(refuse)
  if (!checked.verified) throw new PasskeyRefused('failed')
  return checked.registrationInfo.credential
}

/**
 * Returns whether an answer names no certificates. The library asks the addresses in certificates for revoked ones, and
 * anyone can make certificates for a device, so it would fetch from any address inside this network. Browsers remove
 * them, because no options ask for them.
 */
async function isUncertified({ response }: RegistrationResponseJSON): Promise<boolean> {
  const { decodeAttestationObject, isoBase64URL } = await import('@simplewebauthn/server/helpers')
  try {
    const attestation = decodeAttestationObject(isoBase64URL.toBuffer(response.attestationObject))
    return ['none', 'packed'].includes(attestation.get('fmt')) && attestation.get('attStmt').get('x5c') === undefined
  } catch {
    return false
  }
}

type Credential = Awaited<ReturnType<typeof readCredential>>

async function insert(trx: Trx, name: string, label: string, credential: Credential, addedAt: number) {
  const { id, counter } = credential
  const publicKey = Buffer.from(credential.publicKey).toString('base64url')
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto('console_passkey')
    .values({ id, name, label: label || 'Passkey', publicKey, counter, addedAt, usedAt: null })
    .onConflict(conflict => conflict.column('id').doNothing())
    .executeTakeFirst()
  if (numInsertedOrUpdatedRows === 0n) throw new PasskeyRefused('known')
}

/** Uses up the challenge, whatever the answer is worth. @returns what the library must find in the answer */
async function read<Response>(store: Store, links: Links, { challenge, json, now }: Answer) {
  if (!isToken(challenge)) throw new PasskeyRefused('challenge')
  const used = await store.transact(trx =>
    trx
      .deleteFrom('console_challenge')
      .where('hash', '=', hashOf(challenge))
      .where('endsAt', '>', now)
      .returning('hash')
      .executeTakeFirst(),
  )
  if (!used) throw new PasskeyRefused('challenge')
  const expected = { expectedChallenge: challenge, expectedOrigin: links.base, expectedRPID: links.hostname }
  try {
    return { response: { ...JSON.parse(String(json)) } as Response, expected }
  } catch {
    throw new PasskeyRefused('failed')
  }
}

/** The library throws on whatever is not as expected. */
const refuse = (): never => {
  throw new PasskeyRefused('failed')
}

/** Returns a user's passkeys, oldest first. */
export const listPasskeys = (db: Db, name: string) =>
  db
    .selectFrom('console_passkey')
    .select(['id', 'label', 'addedAt', 'usedAt'])
    .where('name', '=', name)
    .orderBy('addedAt')
    .execute()

/**
 * Removes a passkey of a session's user, and ends the user's other sessions: it may be of a lost phone.
 *
 * @returns false if it is the last one, or there is none
 */
export function removePasskey(store: Store, { name, hash }: ConsoleSession, id: unknown): Promise<boolean> {
  return store.transact(async trx => {
    // Locks the user, so that two requests don't remove two passkeys, each because there is the other.
    await trx.updateTable('console_operator').set({ name }).where('name', '=', name).execute()
    const passkeys = await listPasskeys(trx, name)
    if (passkeys.length < 2 || !passkeys.some(each => each.id === id)) return false
    await trx.deleteFrom('console_passkey').where('id', '=', String(id)).execute()
    await trx.deleteFrom('console_session').where('name', '=', name).where('hash', '<>', hash).execute()
    return true
  })
}
