/** Collects a page's text piece by piece, folds white space, and stops when it has enough. */
export class TextCollector {
  readonly #maxLength: number
  #text = ''
  #pendingSpace = false

  /** @param maxLength in UTF-16 units */
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

  /** Separates what follows from what came before, like a line break. */
  break(): void {
    this.#pendingSpace = true
  }

  get text(): string {
    return this.#text.trimStart().slice(0, this.#maxLength)
  }
}
