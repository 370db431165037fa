/** Gathers the text of a page piece by piece, folding white space on the way and stopping when there is enough. */
export class TextCollector {
  readonly #maxLength: number
  #text = ''
  #pendingSpace = false

  /** `maxLength` is in UTF-16 units. */
  constructor(maxLength: number) {
    this.#maxLength = maxLength
  }

  add(data: string): void {
    if (this.#text.length >= this.#maxLength) return
    const folded = data.replace(/\s+/g, ' ')
    const words = folded.trim()
    if (words === '') {
      this.#pendingSpace ||= folded !== ''
      return
    }
    const space = this.#pendingSpace || folded.startsWith(' ') ? ' ' : ''
    this.#text += space + words
    this.#pendingSpace = folded.endsWith(' ')
  }

  /** Keeps what comes next apart from what came before, as a line break does. */
  break(): void {
    this.#pendingSpace = true
  }

  get text(): string {
    return this.#text.trimStart().slice(0, this.#maxLength)
  }
}
