import { createHmac } from 'node:crypto'
import { isIP, isIPv4 } from 'node:net'
import type { FastifyRequest } from 'fastify'
import ipaddr from 'ipaddr.js'
import type { Secret } from '../lib/secret.ts'

/**
 * Returns what counts as one client: the IPv4 address, or the /64 of an IPv6 address, because one customer has a whole
 * /64. `request.ip` is the socket's address, or the one from X-Forwarded-For, read from the right through trusted
 * proxies. If a proxy wrote something other than an address, the socket's counts.
 */
export const clientPrefix = (request: FastifyRequest): string => clientNetworks(request).at(-1) as string

/** Returns the networks of a request's client, broadest first. The last is `clientPrefix`. */
export const clientNetworks = (request: FastifyRequest): readonly string[] =>
  networksOf(isIP(request.ip) ? request.ip : (request.socket.remoteAddress ?? ''))

/** Returns the broadest network of a request's client, for limits that one customer with many addresses shares. */
export const broadestNetwork = (request: FastifyRequest): string => clientNetworks(request)[0] as string

/** Networks that providers assign to one customer, from a whole site to a single line. */
const V6_PREFIXES = [48, 56, 64]

/**
 * Returns the networks of an address, broadest first: /48, /56 and /64 of IPv6, /24 and the address itself of IPv4. An
 * IPv4-mapped address counts as IPv4.
 */
export function networksOf(text: string): readonly string[] {
  if (isIPv4(text)) return [`${text.slice(0, text.lastIndexOf('.'))}.0/24`, text]
  if (!isIP(text)) return ['unknown']
  const address = ipaddr.process(text)
  if (address.kind() === 'ipv4') return networksOf(address.toString())
  const groups = (address as ipaddr.IPv6).parts.slice(0, 4)
  return V6_PREFIXES.map(bits => {
    const kept = groups.map((part, index) => part & (0xffff << Math.max(0, 16 * (index + 1) - bits)))
    return `${kept.map(part => part.toString(16)).join(':')}::/${bits}`
  })
}

/** Returns a keyed hash of a client prefix, 128 bits in hex, for counting without storing addresses. */
export function clientHash(prefix: string, serviceKey: Secret): string {
  return createHmac('sha256', serviceKey.reveal()).update(`placard client ${prefix}`).digest('hex').slice(0, 32)
}

const HEADER = 'x-forwarded-for'

/** `1.2.3.4:5678`, `[2001:db8::1]:5678` or `[2001:db8::1]`. */
const WITH_PORT = /^(?:([\d.]+):\d{1,5}|\[([\da-f:.]+)\](?::\d{1,5})?)$/i

/**
 * Removes ports from X-Forwarded-For: some proxies add them, and Fastify then finds no address. Call it before the
 * client's address is read.
 */
export function dropForwardedPorts({ raw: { headers } }: FastifyRequest): void {
  const given = headers[HEADER]
  if (typeof given !== 'string' || !given.includes(':')) return
  headers[HEADER] = given
    .split(',')
    .map(each => {
      const [, v4, v6] = WITH_PORT.exec(each.trim()) ?? []
      return v4 ?? v6 ?? each.trim()
    })
    .join(', ')
}
