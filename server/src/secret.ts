import { inspect } from 'node:util'

/** Bytes that must never reach a log, a reply or a disk: every way of printing them gives `[secret]`. */
export class Secret {
  readonly #bytes: Buffer

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  static fromHex(hex: string): Secret {
    return new Secret(Buffer.from(hex, 'hex'))
  }

  /** The bytes themselves, for cryptography only. */
  reveal(): Buffer {
    return this.#bytes
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
