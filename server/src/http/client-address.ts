import { createHmac } from 'node:crypto'
import { isIP, isIPv4 } from 'node:net'
import type { FastifyRequest } from 'fastify'
import ipaddr from 'ipaddr.js'
import type { Secret } from '../secret.ts'

/**
 * What counts as one client: the IPv4 address, or the /64 of an IPv6 address, since one customer holds a whole /64.
 * `request.ip` is the socket's address, or the one from X-Forwarded-For, walked from the right through trusted proxies.
 * If a proxy wrote something other than an address, the socket's counts.
 */
export function clientPrefix(request: FastifyRequest): string {
  const text = isIP(request.ip) ? request.ip : (request.socket.remoteAddress ?? '')
  if (isIPv4(text)) return text
  if (!isIP(text)) return 'unknown'
  const address = ipaddr.process(text)
  if (address.kind() === 'ipv4') return address.toString()
  return `${(address as ipaddr.IPv6).parts
    .slice(0, 4)
    .map(part => part.toString(16))
    .join(':')}::/64`
}

/** Keyed hash of a client prefix, 128 bits in hex, for counting without storing addresses. */
export function clientHash(prefix: string, serviceKey: Secret): string {
  return createHmac('sha256', serviceKey.reveal())
    .update(`placard client ${prefix}`)
    .digest('hex')
    .slice(0, 32)
}
