/** Elements whose content is not visible text. */
const UNSEEN = new Set(
  `audio canvas datalist head iframe noembed noframes noscript object script style template title video`.split(/\s+/),
)

/** Inline elements: text on both sides of their tags can be one word. */
const INLINE = new Set(
  'a abbr b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q s samp small span strike strong sub sup time tt u var wbr'.split(
    ' ',
  ),
)

/** Attributes that name another resource, by element. */
const REFERENCES = new Map(
  Object.entries({
    a: ['href'],
    area: ['href'],
    audio: ['src'],
    embed: ['src'],
    frame: ['src'],
    iframe: ['src'],
    img: ['src'],
    link: ['href'],
    object: ['data'],
    script: ['src'],
    source: ['src'],
    video: ['src', 'poster'],
  }),
)

/** Types of scripts, without parameters. */
const SCRIPT_TYPE = /^(?:module|(?:text|application)\/(?:x-)?(?:java|ecma)script)?$/i

export type Attributes = Readonly<Record<string, string>>

export const isUnseen = (name: string, attributes: Attributes) =>
  (UNSEEN.has(name) && !isShadowRoot(name, attributes)) || 'hidden' in attributes

/** Returns whether a browser with scripts ignores the content of an element. */
export const isInert = (name: string, attributes: Attributes) =>
  name === 'noscript' || (name === 'template' && !isShadowRoot(name, attributes))

/** Browsers show such a template in place of the content of the element around it. */
const isShadowRoot = (name: string, { shadowrootmode }: Attributes) =>
  name === 'template' && /^(?:open|closed)$/i.test(shadowrootmode ?? '')

/** SVG and MathML have elements with HTML's names and other meanings. */
export const isForeign = (name: string) => name === 'svg' || name === 'math'

export const breaksLine = (name: string) => !INLINE.has(name)

export const isHeading = (name: string) => /^h[1-6]$/.test(name)

/** Returns whether a script element contains a program, rather than data such as JSON-LD. */
export const isProgram = ({ type = '' }: Attributes) => SCRIPT_TYPE.test((type.split(';', 1)[0] ?? '').trim())

/** Scripts and frames with which Imperva, F5 and free hosting check for robots, in pages without words. */
const ROBOT_CHECK = /\/_Incapsula_Resource\?|\/TSPD\/|\/aes\.js$/

export const isRobotCheck = ({ src = '' }: Attributes) => ROBOT_CHECK.test(src)

/** Returns the attributes in which an element names other resources. */
export const referencesOf = (name: string): readonly string[] => REFERENCES.get(name) ?? NONE

const NONE: readonly string[] = []

interface Form {
  /** Addresses as written, of the form and of buttons that override it. */
  actions: string[]
  asksPassword: boolean
}

/** Matches a page's forms with their fields as a browser would, and finds those that ask for a password. */
export class PageForms {
  readonly #forms: Form[] = []
  readonly #byId = new Map<string, Form>()
  /** Fields that name their form by id, which may come later in the page. */
  readonly #loose: { attributes: Attributes; id: string }[] = []
  #current: Form | undefined

  open(name: string, attributes: Attributes): void {
    if (name === 'form') this.#openForm(attributes)
    else if (name !== 'input' && name !== 'button') return
    else if (attributes.form !== undefined) this.#loose.push({ attributes, id: attributes.form })
    else if (this.#current !== undefined) addField(this.#current, attributes)
  }

  /** Only its own end tag ends a form; wrongly nested elements do not. */
  close(): void {
    this.#current = undefined
  }

  /** Where password forms post to, as written; empty means the page itself. */
  passwordActions(): string[] {
    for (const { attributes, id } of this.#loose) {
      const form = this.#byId.get(id)
      if (form !== undefined) addField(form, attributes)
    }
    return this.#forms.filter(form => form.asksPassword).flatMap(form => form.actions)
  }

  #openForm(attributes: Attributes): void {
    if (this.#current !== undefined) return
    this.#current = { actions: [attributes.action ?? ''], asksPassword: false }
    this.#forms.push(this.#current)
    if (attributes.id && !this.#byId.has(attributes.id)) this.#byId.set(attributes.id, this.#current)
  }
}

function addField(form: Form, attributes: Attributes): void {
  if (attributes.type?.toLowerCase() === 'password') form.asksPassword = true
  if (attributes.formaction) form.actions.push(attributes.formaction)
}

/** Elements allowed in a head. Any other begins the body, as in browsers, even without a body tag. */
const IN_HEAD = new Set(
  `base basefont bgsound head html link meta noframes noscript script style template title`.split(/\s+/),
)

/** Head elements whose content is skipped. */
const CLOSED = new Set(['noframes', 'noscript', 'script', 'style', 'template', 'title'])

/** HTML's white space excludes some of Unicode's: a no-break space is text, and begins the body. */
const NOT_SPACE = /[^\t\n\f\r ]/

/** The name of the tag that proves a website. */
export const VERIFICATION = 'placard-challenge'
const VERIFICATIONS_MAX = 20
const VERIFICATION_MAX_LENGTH = 200

/**
 * Follows a page to the end of its head, and collects proofs of ownership there. Only the head counts, because many
 * pages show their visitors' text in the body.
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
