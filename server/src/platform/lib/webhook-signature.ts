import { Webhook } from 'standardwebhooks'

/** A message to post, as JSON. */
export interface SignedMessage {
  headers: Record<string, string>
  body: string
}

/**
 * Returns a body with its headers, signed per Standard Webhooks 1.0.0.
 *
 * @param id stays the same for each attempt, so that a receiver can recognise a repeat
 * @param secret `whsec_` and the key in base64
 * @param now when this attempt is made
 */
export const signedMessage = (id: string, body: string, secret: string, now: number): SignedMessage => ({
  headers: {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now / 1000)),
    'webhook-signature': new Webhook(secret).sign(id, new Date(now), body),
  },
  body,
})
