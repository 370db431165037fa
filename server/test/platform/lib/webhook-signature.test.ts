import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { signedMessage } from '../../../src/platform/lib/webhook-signature.ts'

const key = fc.uint8Array({ minLength: 24, maxLength: 64 })
const body = fc.string({ unit: 'grapheme' })

test('the headers are those that the library of Standard Webhooks makes of the same input', () => {
  fc.assert(
    fc.property(fc.uuid(), body, key, fc.boolean(), fc.nat(2 ** 42), (id, body, key, isPadded, now) => {
      const base64 = Buffer.from(key).toString('base64')
      // An operator may leave out the padding.
      const secret = `whsec_${isPadded ? base64 : base64.replace(/=+$/, '')}`
      expect(signedMessage(id, body, secret, now)).toEqual({
        headers: {
          'webhook-id': id,
          'webhook-timestamp': String(Math.floor(now / 1000)),
          'webhook-signature': new Webhook(secret).sign(id, new Date(now), body),
        },
        body,
      })
    }),
  )
})
