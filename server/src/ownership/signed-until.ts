import { createHmac, timingSafeEqual } from 'node:crypto'
import type { ServiceKeys } from '../keys/service-keys.ts'
import type { Secret } from '../secret.ts'

/**
 * Says until when something counts, signed: for cookies of which nothing is stored, so that every instance knows them.
 * The subject is what it is for, which the cookie does not say.
 */
export class SignedUntil {
  readonly #keys: ServiceKeys
  readonly #lifetimeMs: number

  /** @param keys of one purpose, see `ServiceKeys.derive` */
  constructor(keys: ServiceKeys, lifetimeMs: number) {
    this.#keys = keys
    this.#lifetimeMs = lifetimeMs
  }

  /** Counts from `now` for its lifetime. */
  sign(subject: string, now: number): string {
    return signed(subject, now + this.#lifetimeMs, this.#keys.newest.secret)
  }

  /** Until when a text counts at `now`, in Unix milliseconds; undefined where it is none of this subject, or is over. */
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
