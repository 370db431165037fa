import { Parser } from 'htmlparser2'
import type { Written } from '../page.ts'
import {
  type Attributes,
  breaksLine,
  isForeign,
  isHeading,
  isInert,
  isProgram,
  isRobotCheck,
  isUnseen,
  PageForms,
  PageHead,
  referencesOf,
} from './page-elements.ts'

/** A page's contents as written. */
export interface PageScan extends Written {
  text: string
  /** First content of `<meta http-equiv=refresh>` that is one. */
  refresh: string | undefined
  ratings: readonly string[]
  /** As in `FetchedPage`. */
  verifications: readonly string[]
  baseHref: string | undefined
  /** In page order, at most `REFERENCES_MAX`, and only references that can name a host. */
  references: readonly string[]
  passwordActions: readonly string[]
  hasScript: boolean
  /** Whether a script or frame is known from checks for robots. Normal pages may have it, too. */
  hasRobotCheck: boolean
}

export interface ScanOptions {
  isXhtml: boolean
  depthMax: number
  textMaxLength: number
  titleMaxLength: number
}

const REFERENCES_MAX = 5_000
const RATINGS_MAX = 20

/** Longer attributes are cut, so that no later code reads more. */
const ATTRIBUTE_MAX_LENGTH = 4_096

/** Longer text is read in pieces. */
const TEXT_PIECE_LENGTH = 4_096

/** Scans a page in one pass, in linear time; undefined if elements nest too deep. */
export function scanPage(html: string, options: ScanOptions): PageScan | undefined {
  const scanner = new PageScanner(options)
  const parser: Parser = new Parser(
    {
      onopentag: (name, attributes) => {
        // The parser's work grows with depth times length, so it stops here.
        if (scanner.open(name, cut(attributes)) > options.depthMax) parser.pause()
      },
      onclosetag: (name, isImplied) => scanner.close(name, isImplied),
      ontext: data => {
        for (let start = 0; start < data.length; start += TEXT_PIECE_LENGTH) {
          scanner.text(data.slice(start, start + TEXT_PIECE_LENGTH))
        }
      },
    },
    { recognizeSelfClosing: options.isXhtml, recognizeCDATA: options.isXhtml },
  )
  parser.write(html)
  if (scanner.isTooDeep) return undefined
  parser.end()
  return scanner.result()
}

function cut(attributes: Record<string, string>): Attributes {
  for (const name in attributes) {
    const value = attributes[name] as string
    if (value.length > ATTRIBUTE_MAX_LENGTH) attributes[name] = value.slice(0, ATTRIBUTE_MAX_LENGTH)
  }
  return attributes
}

class PageScanner {
  readonly #options: ScanOptions
  readonly #title: TextCollector
  readonly #heading: TextCollector
  readonly #text: TextCollector
  readonly #metas = new Map<string, string>()
  readonly #ratings: string[] = []
  readonly #references: string[] = []
  readonly #forms = new PageForms()
  readonly #head = new PageHead()
  #language = ''
  #baseHref: string | undefined
  #refresh: string | undefined
  #hasScript = false
  #hasRobotCheck = false
  #depth = 0
  /** Depth of the element that began each state. 0 means outside. Title and heading become -1 when they have ended. */
  #unseenAt = 0
  #inertAt = 0
  #foreignAt = 0
  #titleAt = 0
  #headingAt = 0

  constructor(options: ScanOptions) {
    this.#options = options
    this.#title = new TextCollector(options.titleMaxLength)
    this.#heading = new TextCollector(options.titleMaxLength)
    this.#text = new TextCollector(options.textMaxLength)
  }

  get isTooDeep(): boolean {
    return this.#depth > this.#options.depthMax
  }

  /** @returns the element's depth */
  open(name: string, attributes: Attributes): number {
    const depth = ++this.#depth
    this.#head.open(name, attributes, depth)
    if (breaksLine(name)) this.#breakLine()
    if (this.#unseenAt === 0 && isUnseen(name, attributes)) this.#unseenAt = depth
    if (this.#inertAt === 0 && isInert(name, attributes)) this.#inertAt = depth
    if (this.#foreignAt === 0 && isForeign(name)) this.#foreignAt = depth
    if (this.#inertAt === 0) this.#note(name, attributes, depth)
    return depth
  }

  close(name: string, isImplied: boolean): void {
    if (breaksLine(name)) this.#breakLine()
    if (name === 'form' && !isImplied && this.#inertAt === 0) this.#forms.close()
    const depth = this.#depth--
    this.#head.close(name, depth)
    if (this.#unseenAt === depth) this.#unseenAt = 0
    if (this.#inertAt === depth) this.#inertAt = 0
    if (this.#foreignAt === depth) this.#foreignAt = 0
    if (this.#titleAt === depth) this.#titleAt = -1
    if (this.#headingAt === depth) this.#headingAt = this.#heading.text === '' ? 0 : -1
  }

  text(data: string): void {
    this.#head.text(data)
    if (this.#titleAt > 0) this.#title.add(data)
    if (this.#unseenAt > 0) return
    this.#text.add(data)
    if (this.#headingAt > 0) this.#heading.add(data)
  }

  result(): PageScan {
    return {
      title: this.#title.text,
      firstHeading: this.#heading.text,
      text: this.#text.text,
      language: this.#language,
      metas: this.#metas,
      refresh: this.#refresh,
      ratings: this.#ratings,
      verifications: this.#head.verifications,
      baseHref: this.#baseHref,
      references: this.#references,
      passwordActions: this.#forms.passwordActions(),
      hasScript: this.#hasScript,
      hasRobotCheck: this.#hasRobotCheck,
    }
  }

  #note(name: string, attributes: Attributes, depth: number): void {
    if (this.#foreignAt === 0) {
      if (name === 'title' && this.#titleAt === 0) this.#titleAt = depth
      if (name === 'html') this.#language ||= attributes.lang ?? attributes['xml:lang'] ?? ''
      if (name === 'base') this.#baseHref ??= attributes.href
    }
    // In SVG, browsers end the drawing before these, or show them in a foreignObject.
    if (isHeading(name) && this.#headingAt === 0) this.#headingAt = depth
    if (name === 'meta') this.#noteMeta(attributes)
    this.#forms.open(name, attributes)
    if (name === 'script' && isProgram(attributes)) this.#hasScript = true
    if (isRobotCheck(attributes)) this.#hasRobotCheck = true
    if (this.#references.length >= REFERENCES_MAX) return
    for (const attribute of referencesOf(name)) {
      const reference = attributes[attribute]
      if (reference !== undefined && canNameHost(reference)) this.#references.push(reference)
    }
  }

  #noteMeta(attributes: Attributes): void {
    const { content } = attributes
    if (!content?.trim()) return
    if (attributes['http-equiv']?.toLowerCase() === 'refresh' && isRefresh(content)) this.#refresh ??= content
    for (const label of [attributes.name, attributes.property]) {
      const key = label?.trim().toLowerCase()
      if (!key) continue
      if (!this.#metas.has(key)) {
        this.#metas.set(key, key.endsWith('description') ? mendedDescription(content) : content)
      }
      if (key === 'rating' && this.#ratings.length < RATINGS_MAX) this.#ratings.push(content)
    }
  }

  #breakLine(): void {
    this.#text.break()
    if (this.#headingAt > 0) this.#heading.break()
  }
}

/** Returns whether browsers obey a refresh. They ignore one without a time, and take the next. */
export const isRefresh = (content: string) => /^\s*[\d.]+(?:[\s;,]|$)/.test(content)

/** Some websites escape descriptions twice, as `&amp;#39;`, or cut them off in the middle of a letter. */
function mendedDescription(content: string): string {
  if (!/&[#\w]+;|\ufffd$/.test(content)) return content
  let text = ''
  new Parser({ ontext: part => (text += part) }).end(content.replaceAll('<', '&lt;'))
  return text.replace(/\ufffd$/, '…')
}

/** Plain relative addresses, which are the most frequent, need no costly parsing. */
const canNameHost = (reference: string) => /[:\\\t\n\r]|\/\//.test(reference) && !/^\s*data:/i.test(reference)

/** Collects a page's text piece by piece, folds white space, and stops when it has enough. */
class TextCollector {
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
