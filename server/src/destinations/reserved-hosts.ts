/**
 * Names that never belong to a public website, each with everything below it: special-use names (RFC 6761 and its
 * followers), names that only mean something inside one network, and names set aside for documentation.
 */
const RESERVED = [
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
] as const

/** The reserved name that `hostname` is or lies below, else undefined. Expects lower case, no trailing dot. */
export function reservedName(hostname: string): string | undefined {
  return RESERVED.find(name => hostname === name || hostname.endsWith(`.${name}`))
}
