import fc from 'fast-check'

const SURROGATES = { first: 0xd800, count: 0x800 }

/**
 * Any character, as fast-check's own unit `binary`. That one lists all 1.1 million of them in each worker, which takes a
 * second of CPU and 100 MB.
 */
export const anyCharacter: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: 0x10ffff - SURROGATES.count })
  .map(nth => String.fromCodePoint(nth < SURROGATES.first ? nth : nth + SURROGATES.count), nthOf)

/** How fast-check finds its dangerous words among all strings. @throws Error for anything else than a character */
function nthOf(character: unknown): number {
  const code = typeof character === 'string' ? (character.codePointAt(0) ?? -1) : -1
  if (code < 0 || String.fromCodePoint(code) !== character) throw new Error('not a character')
  return code < SURROGATES.first ? code : code - SURROGATES.count
}

/** A path with any characters, a query or a fragment, as fast-check's `webPath` makes it from its unit `binary`. */
export const anyPath: fc.Arbitrary<string> = fc
  .array(fc.tuple(fc.constantFrom('/', '/', '/', '?', '#'), fc.string({ unit: anyCharacter, maxLength: 8 })))
  .map(parts => parts.map(([before, text]) => before + encodeURIComponent(text)).join(''))

/** The address of a page, as fast-check's `webUrl` makes it from its unit `binary`. */
export const anyWebAddress: fc.Arbitrary<string> = fc
  .tuple(fc.constantFrom('http', 'https'), fc.domain(), anyPath)
  .map(([scheme, host, path]) => `${scheme}://${host}${path}`)
