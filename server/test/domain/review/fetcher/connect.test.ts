import { getEventListeners } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { connect, type Target } from '../../../../src/domain/review/fetcher/connect.ts'
import { httpExchange } from '../../../../src/domain/review/fetcher/http-get.ts'
import { DEFAULT_FETCH_LIMITS as limits } from '../../../../src/domain/review/fetcher/limits.ts'
import { eventually } from './fetching.ts'

let server: Server
const sockets = new Set<Socket>()
let accepted = 0
beforeEach(async () => {
  accepted = 0
  server = createServer(socket => {
    accepted++
    sockets.add(
      socket
        .on('close', () => sockets.delete(socket))
        .on('error', () => {})
        .resume(),
    )
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
})
afterEach(() => new Promise(resolve => server.close(resolve)))

const connectTo = (target: Partial<Target>, timeoutMs = 60_000, signal = new AbortController().signal) =>
  connect(
    {
      addresses: ['127.0.0.1'],
      port: (server.address() as { port: number }).port,
      serverName: undefined,
      ...target,
    },
    timeoutMs,
    signal,
  )

describe('a connection', () => {
  it('goes to the address given', async () => {
    const socket = await connectTo({})
    expect(socket.remoteAddress).toBe('127.0.0.1')
    socket.destroy()
  })

  it('no longer has the limit for connecting once it is open', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const socket = await connectTo({})
      const timers = vi.getTimerCount()
      socket.destroy()
      expect(timers).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })

  it('is never made to a name, which would be resolved again, unchecked', async () => {
    await expect(connectTo({ addresses: ['localhost'] })).rejects.toThrow('localhost is not an IP address')
    expect(accepted).toBe(0)
  })

  it('goes to the next address when one refuses', async () => {
    const socket = await connectTo({ addresses: ['127.0.0.2', '127.0.0.1'] })
    expect(socket.remoteAddress).toBe('127.0.0.1')
    socket.destroy()
  })

  it('tries IPv4 first', async () => {
    const socket = await connectTo({ addresses: ['::1', '127.0.0.1'] })
    expect(socket.remoteAddress).toBe('127.0.0.1')
    socket.destroy()
  })

  it('fails with the first reason when all refuse', async () => {
    await expect(connectTo({ addresses: ['127.0.0.2', '127.0.0.3'] })).rejects.toThrow(/ECONNREFUSED 127.0.0.2/)
  })

  it('leaves nothing open when it is stopped on the way', async () => {
    const stopping = new AbortController()
    const connecting = connectTo({ serverName: 'acme.com' }, 60_000, stopping.signal)
    await eventually(() => sockets.size === 1)
    stopping.abort()
    await expect(connecting).rejects.toThrow('aborted while connecting')
    await eventually(() => sockets.size === 0)
  })

  it('is not begun when it is stopped before', async () => {
    await expect(connectTo({}, 60_000, AbortSignal.abort())).rejects.toThrow('aborted while connecting')
    expect(accepted).toBe(0)
  })

  it('that is closed before the request is used once, and leaves no listener', async () => {
    const socket = await connectTo({})
    const { signal } = new AbortController()
    socket.destroy()
    const request = { method: 'GET' as const, headers: {}, bodyMaxBytes: 0, limits, signal }
    const exchange = httpExchange(new URL('http://acme.com/'), socket, request, () => {})
    await expect(exchange).rejects.toThrow('closed the connection before the request')
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })
})
