import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { Secret } from '../lib/secret.ts'
import { hostUrls } from './postgres-url.ts'

// Parsers for settings. Each throws an Error whose message continues after the setting's name.

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

export const text = (value: string): string => value

/** A folder. @throws Error for what only a shell replaces, or for an address: either would become a new folder here */
export function folder(value: string): string {
  if (!/^[~$]|:\/\//.test(value)) return value
  throw new Error(`must be the path of a folder, written out without ~, $ and ://, not "${value}"`)
}

/**
 * The items of a comma-separated list, without blank ones. Only blank ones are refused: `$A,$B` with two variables that
 * are not set would otherwise turn off reviewers, or the encryption of backups.
 */
export const listOf =
  <T>(parse: (item: string) => T) =>
  (value: string): T[] => {
    const items = value
      .split(',')
      .map(item => item.trim())
      .filter(item => item !== '')
    if (items.length === 0) throw new Error('must have something between its commas; leave it unset for the default')
    return items.map(parse)
  }

export const oneOf =
  <const T extends string>(known: readonly [T, ...T[]]) =>
  (value: string): T => {
    const found = known.find(each => each === value)
    if (found !== undefined) return found
    const choice = known.length === 2 ? known.join(' or ') : `one of ${known.join(', ')}`
    throw new Error(`must be ${choice}, not "${value}"`)
  }

export const wholeNumber =
  (least: number, most: number) =>
  (value: string): number => {
    const number = /^\d{1,10}$/.test(value) ? Number(value) : Number.NaN
    if (number >= least && number <= most) return number
    throw new Error(`must be a whole number from ${least} to ${most}, not "${value}"`)
  }

export const limit = wholeNumber(1, 1_000_000_000)

export function flag(value: string): true {
  if (value === '1') return true
  throw new Error(`must be 1 or left out, not "${value}"`)
}

/** An address or a name. A value that ends in a number can only be an IPv4 address. */
export function hostToListenOn(value: string): string {
  const labels = value.split('.')
  const isLabel = (label: string) =>
    label.length <= 63 && /^[a-z0-9_-]+$/i.test(label) && !label.startsWith('-') && !label.endsWith('-')
  const isName = value.length <= 253 && labels.every(isLabel) && !/^\d+$/.test(labels.at(-1) ?? '')
  if (isIP(value) || isName) return value
  throw new Error(`must be an IP address or a name of this machine, not "${value}"`)
}

/** Parses `HOST:PORT`, in which an IPv6 address has brackets. */
export function hostAndPortToListenOn(value: string): { host: string; port: number } {
  const [, host = '', port = ''] = /^(.+):(\d{1,5})$/.exec(value) ?? []
  if (!host) throw new Error(`must be HOST:PORT like 127.0.0.1:9464, not "${value}"`)
  return { host: hostToListenOn(bare(host)), port: wholeNumber(0, 65_535)(port) }
}

/** @returns the origin, without a trailing slash */
export function origin(value: string): string {
  const url = URL.parse(value)
  if (!url || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`) {
    throw new Error(`must be http(s)://host[:port] without a path, not "${value}"`)
  }
  // No link leads to a wildcard, and browsers take a name with a dot at its end for another site.
  if (url.hostname.includes('*') || url.hostname.split('.').includes('')) {
    throw new Error(`must have a host like placard.example.org, without * or a dot too many, not "${value}"`)
  }
  return url.origin
}

export function webAddress(value: string): string {
  // Browsers take https:example.org for a path of the site.
  if (/^(https?:\/\/|mailto:[^@]+@)/i.test(value) && URL.canParse(value)) return value
  throw new Error(`must be an http, https or mailto address, not "${value}"`)
}

/** Returns an address. @throws Error that does not repeat the value, which may contain a secret */
export function httpAddress(value: string): string {
  if (/^https?:$/.test(URL.parse(value)?.protocol ?? '')) return value
  throw new Error('must be an http or https address')
}

/**
 * Returns an address that `fetch` accepts. It refuses those with a user and password, and repeats them in its error.
 *
 * @throws Error that does not repeat the value
 */
export function fetchedAddress(value: string): string {
  const { username, password } = new URL(httpAddress(value))
  if (username === '' && password === '') return value
  throw new Error('must not contain a user or password')
}

/** Returns a secret that is sent in a header. @throws Error that never repeats it */
export function token(value: string): Secret {
  if (/^[\x21-\x7e]+$/.test(value)) return new Secret(Buffer.from(value))
  throw new Error('must be printable ASCII without spaces')
}

export function postgresUrl(value: string): string {
  hostUrls(value)
  return value
}

/** Returns service keys of 32 bytes in hex each, without blank ones. @throws Error that never repeats a value */
export function serviceKeys(texts: string[]): Secret[] {
  const keys = texts.map(each => each.trim().toLowerCase()).filter(each => each !== '')
  if (keys.length === 0 || !keys.every(hex => /^[0-9a-f]{64}$/.test(hex))) {
    throw new Error('must be 32 bytes in hex (64 digits), or several keys with commas, newest first')
  }
  return [...new Set(keys)].map(Secret.fromHex)
}

export const STRIPE_KEY_SHAPE = 'sk_live_… or rk_live_…, or a test key on loopback,'
export const STRIPE_WEBHOOK_SECRET_SHAPE = 'whsec_…'

/** @returns the key, and whether it is a live key, which moves money */
export function stripeKey(value: string): { secret: Secret; livemode: boolean } {
  const [, mode] = /^[sr]k_(live|test)_\w+$/.exec(value) ?? []
  if (mode === undefined) throw new Error(`must be set to ${STRIPE_KEY_SHAPE} with PAYMENTS=stripe`)
  return { secret: new Secret(Buffer.from(value)), livemode: mode === 'live' }
}

export function stripeWebhookSecret(value: string): Secret {
  if (/^whsec_\S+$/.test(value)) return new Secret(Buffer.from(value))
  throw new Error(`must be set to ${STRIPE_WEBHOOK_SECRET_SHAPE} with PAYMENTS=stripe`)
}

/** The networks of proxies, as Fastify takes them. */
export function cidr(value: string): string {
  // ipaddr.js reads 10/8 as 0.0.0.10/8, and 010.0.0.1 as 8.0.0.1.
  if (!isIP(value.split('/')[0] ?? '') || (!ipaddr.isValidCIDR(value) && !ipaddr.isValid(value))) {
    throw new Error(`must be a list like 10.0.0.0/8,::1/128; "${value}" is not an address or CIDR`)
  }
  const [network, bits] = ipaddr.isValidCIDR(value) ? ipaddr.parseCIDR(value) : []
  // Written as IPv6, all IPv4 addresses are a /96.
  if (bits === 0 || (bits === 96 && network instanceof ipaddr.IPv6 && network.isIPv4MappedAddress())) {
    throw new Error(`must name the networks of your proxies; with "${value}", anyone could choose their address`)
  }
  return value
}

export function address(value: string): string {
  if (isIP(value)) return value
  throw new Error(`must be a list of IP addresses, not "${value}"`)
}

export function instant(value: string): number {
  const [, day] = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/i.exec(value) ?? []
  const time = Date.parse(value)
  // Date.parse turns 30 February into 2 March.
  const isDay = day !== undefined && !Number.isNaN(time) && new Date(day).toISOString().startsWith(day)
  if (isDay) return time
  throw new Error(`must be an ISO date-time with zone like 2026-12-31T00:00:00Z, not "${value}"`)
}

export function addressAndPort(value: string): string {
  const match = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(value)
  const address = match?.[1] ?? match?.[2] ?? ''
  const port = Number(match?.[3] ?? 53)
  if (isIP(address) && port >= 1 && port <= 65_535) return value
  throw new Error(`must be a list like 127.0.0.1:53,[::1]:53, not "${value}"`)
}

/** Words for pages, feeds and pictures: one line with something visible. */
export const siteWords =
  (maxLength: number) =>
  (value: string): string => {
    const words = value.normalize().replace(/\s+/g, ' ').trim()
    if (/(?!\p{Join_Control})[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}]/u.test(words) || !/[\p{L}\p{N}]/u.test(words)) {
      throw new Error('must be words in one line, with at least one letter or digit and no invisible characters')
    }
    const { length } = [...words]
    if (length <= maxLength) return words
    throw new Error(`must be at most ${maxLength} characters long, not ${length}`)
  }

/** A package on npm, with or without a version. */
export function npmPackage(value: string): string {
  if (value.length <= 214 && /^(@[a-z\d][\w.-]*\/)?[a-z\d][\w.-]*(@\d[\w.-]*)?$/.test(value)) return value
  throw new Error('must be a package on npm, like @acme/placard-agent or @acme/placard-agent@0.3.0')
}

const HOST = String.raw`(\[[0-9a-fA-F:.]+\]|[^:\[\]]*)`
const RULE = new RegExp(`^${HOST}:(\\d{0,5}):${HOST}:(\\d{1,5})$`)

const bare = (host: string) => (isIP(host.slice(1, -1)) === 6 ? host.slice(1, -1) : host)

/** One rule of FETCH_CONNECT_TO, like curl's `--connect-to`. An empty host or a port 0 matches any. */
export interface ConnectTo {
  host: string
  port: number
  toHost: string
  toPort: number
}

/** Parses `HOST1:PORT1:HOST2:PORT2`. @throws Error that says what is expected */
export function parseConnectTo(text: string): ConnectTo {
  const [, host = '', port = '', toHost = '', toPort = ''] = RULE.exec(text) ?? []
  const rule = {
    host: bare(host).toLowerCase(),
    port: Number(port),
    toHost: bare(toHost),
    toPort: Number(toPort),
  }
  if (!rule.toHost || rule.port > 65_535 || rule.toPort < 1 || rule.toPort > 65_535) {
    throw new Error(`must be a list of HOST1:PORT1:HOST2:PORT2, not "${text}"`)
  }
  return rule
}
