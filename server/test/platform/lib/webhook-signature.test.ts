import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { signedMessage } from '../../../src/platform/lib/webhook-signature.ts'

const key = fc.uint8Array({ minLength: 24, maxLength: 64 })
const body = fc.string({ unit: 'grapheme' })

test('the signature is the HMAC that Standard Webhooks 1.0.0 describes, with or without padding in the secret', () => {
  fc.assert(
    fc.property(fc.uuid(), body, key, fc.boolean(), fc.nat(2 ** 42), (id, body, key, isPadded, now) => {
      const base64 = Buffer.from(key).toString('base64')
      const secret = `whsec_${isPadded ? base64 : base64.replace(/=+$/, '')}`
      const timestamp = String(Math.floor(now / 1000))
      const hmac = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
      expect(signedMessage(id, body, secret, now)).toEqual({
        headers: { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${hmac}` },
        body,
      })
    }),
  )
})
