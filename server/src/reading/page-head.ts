import type { Attributes } from './page-elements.ts'

/** Elements allowed in a head. Any other begins the body, as in browsers, with or without a body tag. */
const IN_HEAD = new Set([
  'base',
  'basefont',
  'bgsound',
  'head',
  'html',
  'link',
  'meta',
  'noframes',
  'noscript',
  'script',
  'style',
  'template',
  'title',
])

/** Head elements whose content is skipped. */
const CLOSED = new Set(['noframes', 'noscript', 'script', 'style', 'template', 'title'])

/** HTML's white space is narrower than Unicode's: a no-break space is text, and begins the body. */
const NOT_SPACE = /[^\t\n\f\r ]/

const VERIFICATION = 'placard-verification'
const VERIFICATIONS_MAX = 20
const VERIFICATION_MAX_LENGTH = 200

/**
 * Follows a page to the end of its head, and collects proofs of ownership there. Only the head counts, because many
 * pages show strangers' text in the body.
 */
export class PageHead {
  readonly verifications: string[] = []
  #isOver = false
  /** Depth of the element whose content is skipped; 0 outside. */
  #closedAt = 0

  open(name: string, attributes: Attributes, depth: number): void {
    if (this.#isOver || this.#closedAt > 0) return
    if (!IN_HEAD.has(name)) this.#isOver = true
    else if (CLOSED.has(name)) this.#closedAt = depth
    else if (name === 'meta') this.#noteMeta(attributes)
  }

  close(name: string, depth: number): void {
    if (this.#closedAt === depth) this.#closedAt = 0
    else if (this.#closedAt === 0 && (name === 'head' || name === 'html')) this.#isOver = true
  }

  text(data: string): void {
    if (this.#closedAt === 0 && NOT_SPACE.test(data)) this.#isOver = true
  }

  #noteMeta({ name, content }: Attributes): void {
    if (name?.trim().toLowerCase() !== VERIFICATION || content === undefined) return
    if (this.verifications.length >= VERIFICATIONS_MAX) return
    this.verifications.push(content.slice(0, VERIFICATION_MAX_LENGTH))
  }
}
