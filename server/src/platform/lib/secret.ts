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

  /** Whether it was typed, counted or repeated: 32 random bytes have about 30 different ones, and as many differences. */
  get isGuessable(): boolean {
    const steps = this.#bytes.map((byte, place) => byte - (this.#bytes[place - 1] ?? 0))
    return [this.#bytes, steps].some(each => new Set(each).size < Math.min(each.length, 32) / 2)
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
