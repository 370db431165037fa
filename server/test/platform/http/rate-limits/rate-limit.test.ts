import type { FastifyRequest } from 'fastify'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { clientHash, clientPrefix, networksOf } from '../../../../src/platform/http/client-address.ts'
import { Allowances } from '../../../../src/platform/http/rate-limits/counter.ts'
import { allowance } from '../../../../src/platform/http/rate-limits/rate-limit.ts'
import { Secret } from '../../../../src/platform/lib/secret.ts'

const MINUTE_MS = 60_000

/** What the limiter looks at in a request: who Fastify says it is from, and who the socket is connected to. */
const requestFrom = (ip: string, socketAddress: string | undefined = '127.0.0.1') =>
  ({ ip, socket: { remoteAddress: socketAddress } }) as FastifyRequest

/** A limiter of a process that is alone. @returns the whole seconds to wait, for a request that is refused */
function rateLimiter(limit: { max: number; windowMs: number }) {
  const { count } = allowance(new Allowances(), { name: 'requests', ...limit })
  return (request: FastifyRequest) => {
    const counted = count(request)
    if (counted instanceof Promise) throw new Error('nobody else needs to be asked')
    return counted.isRefused ? Math.ceil((counted.endsAt - performance.now()) / 1000) : undefined
  }
}

const prefixOf = (...from: Parameters<typeof requestFrom>) => clientPrefix(requestFrom(...from))

// The limiter reads the monotonic clock, which no setting of the service reaches.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

describe('a window of the request rate', () => {
  it('begins with the first request and ends for good after its length, however many were refused', () => {
    const limiter = rateLimiter({ max: 2, windowMs: MINUTE_MS })
    const client = requestFrom('198.51.100.1')
    expect(limiter(client)).toBeUndefined()
    vi.advanceTimersByTime(MINUTE_MS - 1)
    expect(limiter(client)).toBeUndefined()
    expect(limiter(client)).toBeGreaterThan(0)
    vi.advanceTimersByTime(1)
    expect(limiter(client)).toBeUndefined()
    expect(limiter(client)).toBeUndefined()
    expect(limiter(client)).toBeGreaterThan(0)
  })

  it('is not made longer by the requests that it refuses', () => {
    const limiter = rateLimiter({ max: 1, windowMs: MINUTE_MS })
    const client = requestFrom('198.51.100.1')
    expect(limiter(client)).toBeUndefined()
    for (let second = 1; second < 60; second++) {
      vi.advanceTimersByTime(1000)
      expect(limiter(client)).toBe(60 - second)
    }
    vi.advanceTimersByTime(1000)
    expect(limiter(client)).toBeUndefined()
  })

  it('says a whole number of seconds that is never too short, and never zero', () => {
    const limiter = rateLimiter({ max: 1, windowMs: MINUTE_MS })
    const client = requestFrom('198.51.100.1')
    limiter(client)
    expect(limiter(client)).toBe(60)
    vi.advanceTimersByTime(500)
    expect(limiter(client)).toBe(60)
    vi.advanceTimersByTime(MINUTE_MS - 501)
    expect(limiter(client)).toBe(1)
    vi.advanceTimersByTime(1000)
    expect(limiter(client)).toBeUndefined()
  })

  it('belongs to one client and to one limiter', () => {
    const publishing = rateLimiter({ max: 1, windowMs: MINUTE_MS })
    const quoting = rateLimiter({ max: 1, windowMs: MINUTE_MS })
    expect(publishing(requestFrom('198.51.100.1'))).toBeUndefined()
    expect(publishing(requestFrom('198.51.100.2'))).toBeUndefined()
    expect(quoting(requestFrom('198.51.100.1'))).toBeUndefined()
    expect(publishing(requestFrom('198.51.100.1'))).toBeGreaterThan(0)
  })
})

describe('the memory of the request rate', () => {
  /** The nth of many different clients. */
  const nth = (n: number) => requestFrom(`10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`)

  it('keeps 100,000 clients, and forgets the one whose window began first', () => {
    const limiter = rateLimiter({ max: 1, windowMs: MINUTE_MS })
    const first = requestFrom('198.51.100.1')
    const second = requestFrom('198.51.100.2')
    limiter(first)
    limiter(second)
    for (let n = 2; n < 100_000; n++) limiter(nth(n))
    expect(limiter(first)).toBeGreaterThan(0)
    expect(limiter(second)).toBeGreaterThan(0)
    limiter(nth(100_000))
    expect(limiter(second)).toBeGreaterThan(0)
    // One client too many has evicted the first one's window; its new window evicts the second's.
    expect(limiter(first)).toBeUndefined()
    expect(limiter(second)).toBeUndefined()
    expect(limiter(nth(100_000))).toBeGreaterThan(0)
  })

  it('keeps a window that was renewed, and forgets those that began after the old one first', () => {
    const limiter = rateLimiter({ max: 1, windowMs: MINUTE_MS })
    const renewed = requestFrom('198.51.100.1')
    limiter(renewed)
    vi.advanceTimersByTime(MINUTE_MS / 2)
    limiter(nth(0))
    vi.advanceTimersByTime(MINUTE_MS / 2)
    expect(limiter(renewed)).toBeUndefined()
    for (let n = 1; n < 100_000; n++) limiter(nth(n))
    // One client too many evicts the window that began first, not the client that came first.
    expect(limiter(renewed)).toBeGreaterThan(0)
    expect(limiter(nth(0))).toBeUndefined()
  })
})

describe('what counts as one client', () => {
  it('is a whole IPv4 address', () => {
    expect(prefixOf('198.51.100.1')).toBe('198.51.100.1')
    expect(prefixOf('198.51.100.1')).not.toBe(prefixOf('198.51.100.2'))
  })

  it('is the /64 of an IPv6 address, however it is spelled', () => {
    const one = prefixOf('2001:db8:1:2::1')
    expect(one).toBe('2001:db8:1:2::/64')
    expect(prefixOf('2001:db8:1:2:ffff:ffff:ffff:ffff')).toBe(one)
    expect(prefixOf('2001:0DB8:0001:0002:0000:0000:0000:0001')).toBe(one)
    expect(prefixOf('2001:db8:1:3::1')).not.toBe(one)
    expect(prefixOf('2001:db8:1::1')).not.toBe(one)
    expect(prefixOf('::1')).toBe('0:0:0:0::/64')
    expect(prefixOf('fe80::1%eth0')).toBe(prefixOf('fe80::2'))
  })

  it('is the IPv4 address where one is mapped into IPv6, as a socket on all addresses shows it', () => {
    expect(prefixOf('::ffff:198.51.100.1')).toBe('198.51.100.1')
    expect(prefixOf('::ffff:c633:6401')).toBe('198.51.100.1')
    expect(prefixOf('::ffff:198.51.100.2')).not.toBe(prefixOf('::ffff:198.51.100.1'))
  })

  it.each(['', 'unknown', '_hidden', '198.51.100.1:8080', '[2001:db8::1]', '300.1.1.1', '198.51.100.1/24'])(
    'is the socket’s if a proxy wrote %j, which is not an address',
    garbage => {
      expect(prefixOf(garbage, '203.0.113.9')).toBe('203.0.113.9')
      expect(prefixOf(garbage, '::ffff:203.0.113.9')).toBe('203.0.113.9')
      expect(prefixOf(garbage, '2001:db8:5:6::1')).toBe('2001:db8:5:6::/64')
    },
  )

  it('is one shared unknown if even the socket has no address any more', () => {
    expect(clientPrefix({ ip: 'x', socket: {} } as FastifyRequest)).toBe('unknown')
  })

  it('is part of wider networks', () => {
    expect(networksOf('198.51.100.77')).toEqual(['198.51.100.0/24', '198.51.100.77'])
    expect(networksOf('::ffff:198.51.100.77')).toEqual(networksOf('198.51.100.77'))
    expect(networksOf('2001:db8:1:2345:6::7')).toEqual([
      '2001:db8:1:0::/48',
      '2001:db8:1:2300::/56',
      '2001:db8:1:2345::/64',
    ])
    expect(networksOf('nobody')).toEqual(['unknown'])
  })

  it('is stored as a hash that needs the service key', () => {
    const key = new Secret(Buffer.alloc(32, 1))
    const otherKey = new Secret(Buffer.alloc(32, 2))
    const hash = clientHash('198.51.100.1', key)
    expect(hash).toMatch(/^[0-9a-f]{32}$/)
    expect(clientHash('198.51.100.1', key)).toBe(hash)
    expect(clientHash('198.51.100.2', key)).not.toBe(hash)
    expect(clientHash('198.51.100.1', otherKey)).not.toBe(hash)
  })
})
