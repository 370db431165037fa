/**
 * Names that never belong to a public website, each with everything below it: special-use names (RFC 6761 and later),
 * names that only mean something inside one network, and names reserved for documentation.
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

/** The reserved name that `hostname` equals or is below, or undefined. Expects lower case and no trailing dot. */
export function reservedName(hostname: string): string | undefined {
  for (let name = hostname; ; name = name.slice(name.indexOf('.') + 1)) {
    if (RESERVED.has(name)) return name
    if (!name.includes('.')) return undefined
  }
}
