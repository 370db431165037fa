import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'

/** CBOR, as far as an attestation needs it. */
const head = (type: number, length: number) =>
  Buffer.from(length < 24 ? [type + length] : [type + 25, length >> 8, length & 0xff])
export const bytes = (data: Buffer): Buffer => Buffer.concat([head(0x40, data.length), data])
const words = (text: string) => Buffer.concat([head(0x60, text.length), Buffer.from(text)])
const list = (items: Buffer[]) => Buffer.concat([head(0x80, items.length), ...items])
const number = (value: number) => head(value < 0 ? 0x20 : 0, value < 0 ? -1 - value : value)
const encoded = (value: string | number | Buffer) =>
  typeof value === 'string' ? words(value) : typeof value === 'number' ? number(value) : value
export const map = (fields: Record<string, string | number | Buffer>): Buffer =>
  Buffer.concat([
    head(0xa0, Object.keys(fields).length),
    ...Object.entries(fields).flatMap(([name, value]) => [words(name), encoded(value)]),
  ])

/** DER, as far as a certificate needs it. */
const der = (tag: number, ...parts: Buffer[]): Buffer => {
  const body = Buffer.concat(parts)
  const size = body.length < 0x80 ? [body.length] : [0x82, body.length >> 8, body.length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), body])
}
const sequence = (...parts: Buffer[]) => der(0x30, ...parts)
const octets = (...parts: Buffer[]) => der(0x04, ...parts)
const integer = (value: number) => der(0x02, Buffer.from([value]))
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'))
const name = (text: string) => sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from(text)))))

const ECDSA_SHA256 = sequence(oid('2a8648ce3d040302'))
const utc = (days: number) =>
  new Date(Date.now() + days * 86_400_000)
    .toISOString()
    .replaceAll(/[-:T]|\..*/g, '')
    .slice(2)

function certificate(subject: string, publicKey: KeyObject, issuer: KeyObject, extensions: Buffer[] = []): Buffer {
  const content = sequence(
    der(0xa0, integer(2)),
    integer(subject.length),
    ECDSA_SHA256,
    name('root'),
    sequence(...[-1, 1].map(days => der(0x17, Buffer.from(`${utc(days)}Z`)))),
    name(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    ...(extensions.length > 0 ? [der(0xa3, sequence(...extensions))] : []),
  )
  return sequence(content, ECDSA_SHA256, der(0x03, Buffer.from([0]), sign('sha256', content, issuer)))
}

/** What Android says of a key that its hardware keeps. */
const keyDescription = (challenge: Buffer) =>
  sequence(
    ...[integer(3), der(0x0a, Buffer.from([1])), integer(4), der(0x0a, Buffer.from([1]))],
    ...[octets(challenge), octets(), sequence(), sequence()],
  )

/**
 * The certificates of an Android device, as CBOR. Anyone can make them. The first one names the address of a list of
 * revoked ones.
 */
export function chain(publicKey: KeyObject, client: Buffer, revokedAt: string): Buffer {
  const root = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const address = sequence(der(0xa0, der(0xa0, der(0x86, Buffer.from(revokedAt)))))
  const leaf = certificate('leaf', publicKey, root.privateKey, [
    sequence(oid('551d1f'), octets(sequence(address))),
    sequence(oid('2b06010401d679020111'), octets(keyDescription(sha256(client)))),
  ])
  return list([leaf, certificate('root', root.publicKey, root.privateKey)].map(bytes))
}

export const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest()
