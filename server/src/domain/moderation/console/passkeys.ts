import { hash } from 'node:crypto'
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import type { Db, Store, Trx } from '../../../platform/db/store.ts'
import type { Links } from '../../../platform/http/links.ts'
import { MINUTE_MS } from '../../../platform/lib/time.ts'
import type { ServiceKeys, StoreAndKeys } from '../../ownership/service-keys/service-keys.ts'
import { SignedUntil } from '../../ownership/signed-cookies.ts'
import { type ConsoleSession, EntryRefused, hashOf, newToken, openSession } from './sessions.ts'
import { acceptInvitation } from './users.ts'

/** How long a browser may take to answer. */
export const CHALLENGE_LIFETIME_MS = 5 * MINUTE_MS

interface Site extends StoreAndKeys {
  links: Links
}

/** What a browser sends: its cookie with the challenge, and the answer of the passkey as JSON. */
export interface Answer {
  cookie: string | undefined
  json: unknown
  now: number
}

/** ES256, RS256 and EdDSA, which all versions of Node verify. */
const ALGORITHMS = [-7, -257, -8]

/** 1,023 bytes in base64url, the most that the standard allows. */
const CREDENTIAL_ID = /^[\w-]{1,1364}$/

/** Loaded at the first sign-in, because most processes never need it. */
const library = () => import('@simplewebauthn/server')

/** The user handle: the same for all passkeys of a user, so a device keeps one passkey per user. It reveals no name. */
const handleOf = (name: string) => hash('sha256', `placard console user ${name}`, 'base64url')

/** Challenges are signed, and only accepted answers are stored, so strangers can't fill the database with challenges. */
const challengesOf = (keys: ServiceKeys) =>
  new SignedUntil(keys.derive('placard console challenge'), CHALLENGE_LIFETIME_MS)

/**
 * Returns the options with which a browser has a passkey sign a challenge, and the cookie that it needs for its answer.
 *
 * @param name of the user for whom the browser creates a passkey; without it, any passkey of this site signs in
 */
export async function newOptions({ store, links, serviceKeys }: Site, name: string | undefined, now: number) {
  const challenge = newToken()
  const cookie = `${challenge}.${challengesOf(serviceKeys).sign(challenge, now)}`
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
  return { options, cookie }
}

/**
 * Opens a session for the user of a passkey.
 *
 * @returns the token for the cookie
 * @throws EntryRefused
 */
export async function signIn(site: Site, answer: Answer): Promise<string> {
  const { response, challenge, expected } = read<AuthenticationResponseJSON>(site, answer)
  const passkey = await findPasskey(site.store.db, response.id)
  if (response.response?.userHandle !== handleOf(passkey.name)) throw new EntryRefused('failed')
  const { verifyAuthenticationResponse } = await library()
  // The counter is compared below, because the library compares it before it checks the signature.
  const credential = { id: passkey.id, publicKey: Buffer.from(passkey.publicKey, 'base64url'), counter: 0 }
  const checked = await verifyAuthenticationResponse({ response, credential, ...expected }).catch(refuse)
  if (!checked.verified) throw new EntryRefused('failed')
  const [counter, before] = [checked.authenticationInfo.newCounter, passkey.counter]
  return site.store.transact(async trx => {
    await useUp(trx, challenge)
    // WebAuthn 7.2: a counter that doesn't rise is a sign of a copy. Synchronised passkeys always send 0.
    if ((counter > 0 || before > 0) && counter <= before) throw new EntryRefused('copied')
    // Finds no row if the passkey was removed, or answered with this counter, since it was read.
    const { numUpdatedRows } = await trx
      .updateTable('console_passkey')
      .set({ counter, usedAt: answer.now })
      .where('id', '=', passkey.id)
      .where('counter', '=', passkey.counter)
      .executeTakeFirst()
    if (numUpdatedRows === 0n) throw new EntryRefused('unknown')
    return openSession(trx, passkey.name, answer.now)
  })
}

/** Adds a passkey of a signed-in user. @throws EntryRefused */
export async function addPasskey(site: Site, session: ConsoleSession, label: string, answer: Answer): Promise<void> {
  const created = await readCreated(site, answer)
  await site.store.transact(async trx => {
    if (!(await lockUser(trx, session))) throw new EntryRefused('none')
    await insert(trx, session.name, label, created)
  })
}

/**
 * Uses up an invitation: its user gets a role, a passkey and a session. Without an accepted passkey, it stays valid.
 *
 * @returns the token for the cookie
 * @throws EntryRefused
 */
export async function enterInvited(site: Site, token: string, label: string, answer: Answer): Promise<string> {
  const created = await readCreated(site, answer)
  return site.store.transact(async trx => {
    const name = await acceptInvitation(trx, token, answer.now)
    await insert(trx, name, label, created)
    return openSession(trx, name, answer.now)
  })
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
 * Removes a passkey of a session's user, and ends the user's other sessions: the phone with the passkey may be lost.
 *
 * @returns false if it is the last one, there is none, or the session has ended
 */
export function removePasskey(store: Store, session: ConsoleSession, id: unknown): Promise<boolean> {
  const { name, hash } = session
  return store.transact(async trx => {
    if (!(await lockUser(trx, session))) return false
    const passkeys = await listPasskeys(trx, name)
    if (passkeys.length < 2 || !passkeys.some(each => each.id === id)) return false
    await trx.deleteFrom('console_passkey').where('id', '=', String(id)).execute()
    await trx.deleteFrom('console_session').where('name', '=', name).where('hash', '<>', hash).execute()
    return true
  })
}

/**
 * Locks the user of a session, so that two concurrent requests don't remove the user's last two passkeys.
 *
 * @returns whether the session is still open
 */
async function lockUser(trx: Trx, { name, hash }: ConsoleSession): Promise<boolean> {
  await trx.updateTable('console_operator').set({ name }).where('name', '=', name).execute()
  return (await trx.selectFrom('console_session').select('hash').where('hash', '=', hash).execute()).length > 0
}

async function findPasskey(db: Db, id: unknown) {
  if (typeof id !== 'string' || !CREDENTIAL_ID.test(id)) throw new EntryRefused('unknown')
  const passkey = await db
    .selectFrom('console_passkey')
    .select(['id', 'name', 'publicKey', 'counter'])
    .where('id', '=', id)
    .executeTakeFirst()
  if (!passkey) throw new EntryRefused('unknown')
  return passkey
}

/** Returns what the library must find in the answer, and the answer, which is not verified. */
function read<Response>({ links, serviceKeys }: Site, { cookie = '', json, now }: Answer) {
  const [token = '', ...signed] = cookie.split('.')
  const endsAt = challengesOf(serviceKeys).read(signed.join('.'), token, now)
  if (endsAt === undefined) throw new EntryRefused('challenge')
  const expected = { expectedChallenge: token, expectedOrigin: links.base, expectedRPID: links.hostname }
  try {
    const response = { ...JSON.parse(String(json)) } as Response
    return { response, challenge: { hash: hashOf(token), endsAt }, expected }
  } catch {
    throw new EntryRefused('failed')
  }
}

/** Stores that a challenge was answered. @throws EntryRefused if it had been answered before */
async function useUp(trx: Trx, challenge: { hash: string; endsAt: number }): Promise<void> {
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto('console_challenge')
    .values(challenge)
    .onConflict(conflict => conflict.column('hash').doNothing())
    .executeTakeFirst()
  if (numInsertedOrUpdatedRows === 0n) throw new EntryRefused('challenge')
}

/** Returns the row of the passkey that an answer creates, and its challenge. */
async function readCreated(site: Site, answer: Answer) {
  const { response, challenge, expected } = read<RegistrationResponseJSON>(site, answer)
  if (!(await isUncertified(response))) throw new EntryRefused('failed')
  const { verifyRegistrationResponse } = await library()
  const options = { response, supportedAlgorithmIDs: ALGORITHMS, ...expected }
  const checked = await verifyRegistrationResponse(options).catch(refuse)
  if (!checked.verified) throw new EntryRefused('failed')
  const { id, publicKey, counter } = checked.registrationInfo.credential
  if (!CREDENTIAL_ID.test(id)) throw new EntryRefused('failed')
  const row = { id, publicKey: Buffer.from(publicKey).toString('base64url'), counter }
  return { challenge, row: { ...row, addedAt: answer.now, usedAt: null } }
}

async function insert(
  trx: Trx,
  name: string,
  label: string,
  { challenge, row }: Awaited<ReturnType<typeof readCreated>>,
): Promise<void> {
  await useUp(trx, challenge)
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto('console_passkey')
    .values({ ...row, name, label: label || 'Passkey' })
    .onConflict(conflict => conflict.column('id').doNothing())
    .executeTakeFirst()
  if (numInsertedOrUpdatedRows === 0n) throw new EntryRefused('known')
}

/**
 * Returns whether an answer has no certificates. The library fetches revocation lists from the addresses in
 * certificates, and anyone can make certificates for a device, so it could be made to fetch any address inside this
 * network. Browsers leave certificates out, because the options don't request them.
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

/** The library throws if anything in an answer is not as expected. */
const refuse = (): never => {
  throw new EntryRefused('failed')
}
