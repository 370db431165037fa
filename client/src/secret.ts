/** The method that Node calls to print an object. Not imported, so that this package's types do not need Node's. */
const INSPECT: unique symbol = Symbol.for('nodejs.util.inspect.custom')

/** Text that always prints as its label. Only `reveal()` returns it. */
class Hidden {
  readonly #text: string
  readonly #label: string

  constructor(text: string, label: string) {
    this.#text = text
    this.#label = label
  }

  /** Returns the text itself. Give it only to those who may have it, and never log it. */
  reveal(): string {
    return this.#text
  }

  toString(): string {
    return this.#label
  }

  toJSON(): string {
    return this.#label
  }

  [INSPECT](): string {
    return this.#label
  }
}

/** Proof of one submission: 32 random bytes, revealed as 64 hex digits. Prints as `[secret]`. */
export class SubmissionSecret extends Hidden {
  constructor(hex: string) {
    super(hex, '[secret]')
  }
}

/** The address that manages a listing: anyone with it can manage the listing. Prints as `[private link]`. */
export class PrivateLink extends Hidden {
  constructor(url: string) {
    super(url, '[private link]')
  }
}
