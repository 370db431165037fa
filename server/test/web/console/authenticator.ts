import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { bytes, chain, map, sha256 } from './attestation.ts'

const text = (data: Buffer) => data.toString('base64url')

/** What a service asks of a passkey, as far as this one reads it. */
export interface Asked {
  challenge: string
  rp?: { id: string }
  rpId?: string
  user?: { id: string; name: string }
}

/** What a test may get wrong on purpose. */
interface Wrong {
  origin?: string
  verifiesUser?: boolean
  challenge?: string
  userHandle?: string
  rpId?: string
  /** Certificates of the device, which name an address for the service to look them up at. */
  certifiedAt?: string
  /** Without certificates. */
  attestsItself?: boolean
}

/** A device with one passkey, as the standard describes its answers, but without a browser that watches over it. */
export function newAuthenticator(origin: string, idBytes = 32) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const id = randomBytes(idBytes)
  let userHandle = ''

  const clientData = (type: string, asked: Asked, wrong: Wrong) =>
    Buffer.from(
      JSON.stringify({
        type,
        challenge: wrong.challenge ?? asked.challenge,
        origin: wrong.origin ?? origin,
        crossOrigin: false,
      }),
    )
  const head = (rpId: string, flags: number, counter: number) => {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(counter)
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), count])
  }
  const flagsOf = ({ verifiesUser = true }: Wrong) => (verifiesUser ? 0x05 : 0x01)

  return {
    id: text(id),
    /** Raised by each sign-in, unless a test sets it back. */
    counter: 0,
    create(asked: Asked, wrong: Wrong = {}): string {
      userHandle = asked.user?.id ?? ''
      const key = Buffer.concat([
        Buffer.from('a5010203262001215820', 'hex'),
        Buffer.from(x, 'base64url'),
        Buffer.from('225820', 'hex'),
        Buffer.from(y, 'base64url'),
      ])
      const credential = Buffer.concat([Buffer.alloc(16), Buffer.from([id.length >> 8, id.length & 0xff]), id, key])
      const rpId = wrong.rpId ?? asked.rp?.id ?? ''
      const data = Buffer.concat([head(rpId, flagsOf(wrong) | 0x40, this.counter), credential])
      const client = clientData('webauthn.create', asked, wrong)
      const sig = bytes(sign('sha256', Buffer.concat([data, sha256(client)]), privateKey))
      const attestation = map({
        ...(wrong.certifiedAt
          ? { fmt: 'android-key', attStmt: map({ alg: -7, sig, x5c: chain(publicKey, client, wrong.certifiedAt) }) }
          : wrong.attestsItself
            ? { fmt: 'packed', attStmt: map({ alg: -7, sig }) }
            : { fmt: 'none', attStmt: map({}) }),
        authData: bytes(data),
      })
      const response = { clientDataJSON: text(client), attestationObject: text(attestation) }
      return JSON.stringify({ id: this.id, rawId: this.id, type: 'public-key', response, clientExtensionResults: {} })
    },
    get(asked: Asked, wrong: Wrong = {}): string {
      this.counter++
      const data = head(wrong.rpId ?? asked.rpId ?? '', flagsOf(wrong), this.counter)
      const client = clientData('webauthn.get', asked, wrong)
      const response = {
        clientDataJSON: text(client),
        authenticatorData: text(data),
        signature: text(sign('sha256', Buffer.concat([data, sha256(client)]), privateKey)),
        userHandle: wrong.userHandle ?? userHandle,
      }
      return JSON.stringify({ id: this.id, rawId: this.id, type: 'public-key', response, clientExtensionResults: {} })
    },
  }
}
