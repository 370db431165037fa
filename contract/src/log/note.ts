/**
 * Signed notes by C2SP's `signed-note`, with Ed25519 signatures (type 1) and the cosignatures of witnesses by
 * `tlog-cosignature` (type 4).
 */
import { createPrivateKey, createPublicKey, hash, type KeyObject, sign, verify } from 'node:crypto'

const ED25519 = 1
const COSIGNATURE = 4
const ID_BYTES = 4
const KEY_BYTES = 32
const TIME_BYTES = 8
const SIGNATURE_BYTES = 64
const MARK = '— '
const SIGNATURES_MAX = 100

/** The bytes before the raw key in the DER encodings that Node reads. */
const PRIVATE_KEY_START = Buffer.from('302e020100300506032b657004220420', 'hex')
const PUBLIC_KEY_START = Buffer.from('302a300506032b6570032100', 'hex')

/** Returns a note or a proof as it was written: mail and editors change the ends of its lines. */
export const asWritten = (text: string): string => `${text.replaceAll('\r', '').trim()}\n`

/** A note that must be rejected: it is malformed, or the signature of a known key is wrong. */
export class NoteError extends Error {
  override name = 'NoteError'
  readonly fault: 'malformed' | 'wrong_signature'

  constructor(fault: 'malformed' | 'wrong_signature', message: string) {
    super(message)
    this.fault = fault
  }
}

/** Returns the bytes if the text is base64 in its one spelling, so that no other text represents the same bytes. */
export function fromBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : undefined
}

/** The key that verifies a name's signatures. */
export interface VerifierKey {
  name: string
  vkey: string
  /** As in signature lines. */
  id: Buffer
  /** Whether its signatures are cosignatures, which have a time. */
  isWitness: boolean
  key: KeyObject
}

const isName = (name: string) => name !== '' && !/[\s+\p{Cc}]/u.test(name)

const keyId = (name: string, typedKey: Buffer) =>
  hash('sha256', Buffer.concat([Buffer.from(`${name}\n`), typedKey]), 'buffer').subarray(0, ID_BYTES)

/** Reads a verifier key. Throws a sentence if it is malformed, or of a type other than Ed25519 and its cosignatures. */
export function parseVerifierKey(vkey: string): VerifierKey {
  const [name = '', idText = '', ...rest] = vkey.split('+')
  // Base64 has plus signs, too.
  const typedKey = fromBase64(rest.join('+'))
  const type = typedKey?.[0]
  if (!isName(name) || typedKey?.length !== 1 + KEY_BYTES || (type !== ED25519 && type !== COSIGNATURE)) {
    throw new Error(`"${vkey}" is not a verifier key for Ed25519, such as example.com/log+1a2b3c4d+AbCd….`)
  }
  const id = keyId(name, typedKey)
  if (id.toString('hex') !== idText) {
    throw new Error(`The verifier key "${vkey}" was changed or copied in part: its id does not fit its key.`)
  }
  const spki = Buffer.concat([PUBLIC_KEY_START, typedKey.subarray(1)])
  const key = createPublicKey({ key: spki, format: 'der', type: 'spki' })
  return { name, vkey, id, isWitness: type === COSIGNATURE, key }
}

function keyOf(name: string, seed: Uint8Array, type: number) {
  if (!isName(name)) throw new Error(`"${name}" cannot be the name of a key: it has a space or a plus sign.`)
  if (seed.length !== KEY_BYTES) throw new Error(`The seed of an Ed25519 key has ${KEY_BYTES} bytes.`)
  const pkcs8 = Buffer.concat([PRIVATE_KEY_START, seed])
  const key = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' })
  const spki = createPublicKey(key).export({ format: 'der', type: 'spki' })
  const typedKey = Buffer.concat([Buffer.from([type]), spki.subarray(PUBLIC_KEY_START.length)])
  const id = keyId(name, typedKey)
  const line = (...parts: Buffer[]) => `${MARK}${name} ${Buffer.concat([id, ...parts]).toString('base64')}\n`
  return { key, line, vkey: `${name}+${id.toString('hex')}+${typedKey.toString('base64')}` }
}

/** Signs notes. */
export interface Signer {
  name: string
  vkey: string
  /** Returns the signature line of a text. */
  sign(text: string): string
}

/** Returns the signer with a name and a seed of 32 bytes. */
export function signerOf(name: string, seed: Uint8Array): Signer {
  const { key, line, vkey } = keyOf(name, seed, ED25519)
  return { name, vkey, sign: text => line(sign(null, Buffer.from(text), key)) }
}

/** Cosigns checkpoints as a witness. */
export interface Cosigner {
  name: string
  vkey: string
  /** Returns the signature line of a checkpoint's text at a time in Unix seconds. */
  cosign(text: string, seconds: number): string
}

/** Returns the witness with a name and a seed of 32 bytes, which no other kind of key may have. */
export function cosignerOf(name: string, seed: Uint8Array): Cosigner {
  const { key, line, vkey } = keyOf(name, seed, COSIGNATURE)
  return {
    name,
    vkey,
    cosign(text, seconds) {
      const time = Buffer.alloc(TIME_BYTES)
      time.writeBigUInt64BE(BigInt(seconds))
      return line(time, sign(null, Buffer.from(cosignedText(text, seconds)), key))
    },
  }
}

const cosignedText = (text: string, seconds: number | bigint) => `cosignature/v1\ntime ${seconds}\n${text}`

/** Returns the note of a text and its signature lines. */
export const joinNote = (text: string, signatureLines: readonly string[]): string =>
  `${text}\n${signatureLines.join('')}`

/** A signature that was verified. */
export interface NoteSignature {
  name: string
  vkey: string
  /** Unix seconds of a cosignature. */
  time?: number
}

export interface OpenedNote {
  text: string
  /** Only those of the given keys, in the order of the note: empty if none of them signed it. */
  signatures: NoteSignature[]
}

/** Returns the text of a note and its lines of signatures, unverified. Throws a `NoteError` if it is malformed. */
export function splitNote(note: string): { text: string; lines: { name: string; bytes: Buffer; line: string }[] } {
  const end = note.lastIndexOf('\n\n') + 1
  // U+FFFD is what decoding leaves of bytes that are not UTF-8.
  if (end < 1 || !note.endsWith('\n') || /[^\P{Cc}\n]|\uFFFD/u.test(note)) {
    throw malformed('it is not text, an empty line, and lines of signatures')
  }
  const signatures = note.slice(end + 1, -1).split('\n')
  if (signatures.length > SIGNATURES_MAX) throw malformed(`it has more than ${SIGNATURES_MAX} signatures`)
  const lines = signatures.map(line => {
    const [name = '', base64 = '', ...more] = line.slice(MARK.length).split(' ')
    const bytes = fromBase64(base64)
    if (!line.startsWith(MARK) || !isName(name) || more.length > 0 || !bytes || bytes.length <= ID_BYTES) {
      throw malformed(`"${line.slice(0, 80)}" is not the line of a signature`)
    }
    return { name, bytes, line: `${line}\n` }
  })
  return { text: note.slice(0, end), lines }
}

/**
 * Returns the text of a note and the signatures by the given keys. Signatures of other keys are ignored, so check that
 * those you need are there. Throws a `NoteError` if the note is malformed, or the signature of a given key is wrong.
 */
export function openNote(note: string, verifierKeys: readonly string[]): OpenedNote {
  const keys = verifierKeys.map(parseVerifierKey)
  const { text, lines } = splitNote(note)
  const signatures = new Map<VerifierKey, NoteSignature>()
  for (const { name, bytes } of lines) {
    const known = keys.find(key => key.name === name && key.id.equals(bytes.subarray(0, ID_BYTES)))
    if (!known || signatures.has(known)) continue
    signatures.set(known, verified(known, text, bytes.subarray(ID_BYTES)))
  }
  return { text, signatures: [...signatures.values()] }
}

function verified({ name, vkey, key, isWitness }: VerifierKey, text: string, signed: Buffer): NoteSignature {
  const timeBytes = isWitness ? TIME_BYTES : 0
  if (signed.length !== timeBytes + SIGNATURE_BYTES) throw wrongSignature(name)
  const time = isWitness ? signed.readBigUInt64BE() : undefined
  const message = Buffer.from(time === undefined ? text : cosignedText(text, time))
  if (!verify(null, message, key, signed.subarray(timeBytes))) throw wrongSignature(name)
  return { name, vkey, ...(time !== undefined && { time: Number(time) }) }
}

const malformed = (why: string) => new NoteError('malformed', `This is not a signed note: ${why}.`)

const wrongSignature = (name: string) =>
  new NoteError('wrong_signature', `The signature of ${name} does not fit the text.`)
