import type { Attributes } from './page-elements.ts'

/** Elements that stand in a head: any other begins the body, as in browsers, whether or not a tag says so. */
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

/** Those of them whose content is no part of the head itself. */
const CLOSED = new Set(['noframes', 'noscript', 'script', 'style', 'template', 'title'])

/** White space of HTML is less than that of Unicode: a no-break space is text, and begins the body. */
const NOT_SPACE = /[^\t\n\f\r ]/

const VERIFICATION = 'placard-verification'
const VERIFICATIONS_MAX = 20
const VERIFICATION_MAX_LENGTH = 200

/**
 * Follows a page as far as its head goes, and notes what its owner put there as proof. Only the head counts: in the body
 * of many pages stands what strangers wrote.
 */
export class PageHead {
  readonly verifications: string[] = []
  #isOver = false
  /** Depth of the element whose content is passed over; 0 outside. */
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
