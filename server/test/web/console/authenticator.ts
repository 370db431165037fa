import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest()
const text = (bytes: Buffer) => bytes.toString('base64url')

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
}

/** A device with one passkey, as the standard describes its answers, but without a browser that watches over it. */
export function newAuthenticator(origin: string) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const id = randomBytes(32)
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
      const credential = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, key])
      const data = Buffer.concat([head(asked.rp?.id ?? '', flagsOf(wrong) | 0x40, this.counter), credential])
      const attestation = Buffer.concat([
        Buffer.from('a363666d74646e6f6e656761747453746d74a0686175746844617461', 'hex'),
        Buffer.from([0x58, data.length]),
        data,
      ])
      const response = {
        clientDataJSON: text(clientData('webauthn.create', asked, wrong)),
        attestationObject: text(attestation),
      }
      return JSON.stringify({ id: this.id, rawId: this.id, type: 'public-key', response, clientExtensionResults: {} })
    },
    get(asked: Asked, wrong: Wrong = {}): string {
      this.counter++
      const data = head(asked.rpId ?? '', flagsOf(wrong), this.counter)
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
