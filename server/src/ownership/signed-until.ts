import { createHmac, timingSafeEqual } from 'node:crypto'
import type { ServiceKeys } from '../keys/service-keys.ts'
import type { Secret } from '../secret.ts'

/**
 * A signed expiry, for cookies that need no storage, so that every instance can check them. The signature covers a
 * subject, which the cookie does not contain.
 */
export class SignedUntil {
  readonly #keys: ServiceKeys
  readonly #lifetimeMs: number

  /** @param keys keys for one purpose, see `ServiceKeys.derive` */
  constructor(keys: ServiceKeys, lifetimeMs: number) {
    this.#keys = keys
    this.#lifetimeMs = lifetimeMs
  }

  /** Valid from `now` for its lifetime. */
  sign(subject: string, now: number): string {
    return signed(subject, now + this.#lifetimeMs, this.#keys.newest.secret)
  }

  /** The expiry of a text, in Unix milliseconds; undefined if it is not for this subject, or has expired at `now`. */
  read(text: string | undefined, subject: string, now: number): number | undefined {
    const until = Number(/^(\d{13})\./.exec(text ?? '')?.[1])
    if (text === undefined || !(until > now)) return undefined
    const given = Buffer.from(text)
    const isSigned = this.#keys.inUseAt(until - this.#lifetimeMs).some(key => {
      const expected = Buffer.from(signed(subject, until, key))
      return given.length === expected.length && timingSafeEqual(given, expected)
    })
    return isSigned ? until : undefined
  }
}

/** @param until Unix milliseconds, of thirteen digits */
function signed(subject: string, until: number, key: Secret): string {
  const signature = createHmac('sha256', key.reveal()).update(`${until} ${subject}`).digest('base64url')
  return `${until}.${signature}`
}
