/**
 * Names that never belong to a public website, each with everything below it: special-use names (RFC 6761 and its
 * followers), names that only mean something inside one network, and names set aside for documentation.
 */
const RESERVED: ReadonlySet<string> = new Set([
  'alt',
  'arpa',
  'example',
  'example.com',
  'example.net',
  'example.org',
  'home.arpa',
  'internal',
  'invalid',
  'local',
  'localhost',
  'onion',
  'test',
])

/** The reserved name that `hostname` is or lies below, else undefined. Expects lower case, no trailing dot. */
export function reservedName(hostname: string): string | undefined {
  for (let name = hostname; ; name = name.slice(name.indexOf('.') + 1)) {
    if (RESERVED.has(name)) return name
    if (!name.includes('.')) return undefined
  }
}
