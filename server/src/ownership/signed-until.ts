import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Secret } from '../secret.ts'

/**
 * Says until when something counts, signed: for cookies of which nothing is stored, so that every instance knows them.
 * The subject is what it is for, which the cookie does not say.
 */
export class SignedUntil {
  readonly #key: Secret

  /** @param key of one purpose, see `Secret.derive` */
  constructor(key: Secret) {
    this.#key = key
  }

  /** @param until Unix milliseconds, of thirteen digits */
  sign(subject: string, until: number): string {
    const signature = createHmac('sha256', this.#key.reveal())
      .update(`${until} ${subject}`)
      .digest('base64url')
    return `${until}.${signature}`
  }

  /** Until when a text counts at `now`, in Unix milliseconds; undefined where it is none of this subject, or is over. */
  read(text: string | undefined, subject: string, now: number): number | undefined {
    const until = Number(/^(\d{13})\./.exec(text ?? '')?.[1])
    if (text === undefined || !(until > now)) return undefined
    const [given, expected] = [Buffer.from(text), Buffer.from(this.sign(subject, until))]
    return given.length === expected.length && timingSafeEqual(given, expected) ? until : undefined
  }
}
