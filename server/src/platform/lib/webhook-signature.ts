import { createHmac } from 'node:crypto'

/** A message to post, as JSON. */
export interface SignedMessage {
  headers: Record<string, string>
  body: string
}

/**
 * A body with its headers, signed as Standard Webhooks 1.0.0 says.
 *
 * @param id stays the same for each attempt, so that a receiver can tell a repeat
 * @param secret `whsec_` and the key in base64
 * @param now when this attempt is made, in Unix milliseconds
 */
export function signedMessage(id: string, body: string, secret: string, now: number): SignedMessage {
  const timestamp = Math.floor(now / 1000)
  const key = Buffer.from(secret.slice(secret.indexOf('_') + 1), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return {
    headers: {
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': `v1,${signature}`,
    },
    body,
  }
}
