import { hkdfSync } from 'node:crypto'
import { inspect } from 'node:util'

/** Bytes that must never reach a log, a reply or a disk: however they are printed, the text is `[secret]`. */
export class Secret {
  readonly #bytes: Buffer

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  static fromHex(hex: string): Secret {
    return new Secret(Buffer.from(hex, 'hex'))
  }

  /** Derives a key for one purpose, by HKDF-SHA-256. It reveals nothing about this one. */
  derive(purpose: string): Secret {
    return new Secret(Buffer.from(hkdfSync('sha256', this.#bytes, '', purpose, 32)))
  }

  /** Returns the bytes themselves, for cryptography only. */
  reveal(): Buffer {
    return this.#bytes
  }

  /** Whether it was typed or repeated rather than random: 32 random bytes have about 30 different ones. */
  get isGuessable(): boolean {
    return new Set(this.#bytes).size < Math.min(this.#bytes.length, 32) / 2
  }

  toString(): string {
    return '[secret]'
  }

  toJSON(): string {
    return '[secret]'
  }

  [inspect.custom](): string {
    return '[secret]'
  }
}
