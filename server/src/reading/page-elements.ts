/** Elements whose content is not visible text. */
const UNSEEN = new Set([
  'audio',
  'canvas',
  'datalist',
  'head',
  'iframe',
  'noembed',
  'noframes',
  'noscript',
  'object',
  'script',
  'style',
  'template',
  'title',
  'video',
])

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

export const isUnseen = (name: string, attributes: Attributes) => UNSEEN.has(name) || 'hidden' in attributes

/** Elements whose content a browser with scripts ignores. */
export const isInert = (name: string) => name === 'template' || name === 'noscript'

/** SVG and MathML have elements with HTML's names and other meanings. */
export const isForeign = (name: string) => name === 'svg' || name === 'math'

export const breaksLine = (name: string) => !INLINE.has(name)

export const isHeading = (name: string) => /^h[1-6]$/.test(name)

/** Whether a script element holds a program, rather than data such as JSON-LD. */
export const isProgram = ({ type = '' }: Attributes) => SCRIPT_TYPE.test((type.split(';', 1)[0] ?? '').trim())

export function referencesOf(name: string, attributes: Attributes): string[] {
  return (REFERENCES.get(name) ?? []).flatMap(attribute => attributes[attribute] ?? [])
}
