// @module-tag slow
import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, type TestContext, test } from 'vitest'
import { Connections, UNREAD_MAX_MS, WAITING_MAX } from '../../../src/platform/http/connections.ts'
import { replyToClientErrors } from '../../../src/platform/http/error-reply.ts'
import { Links } from '../../../src/platform/http/links.ts'

const GET = 'GET / HTTP/1.1\r\nHost: placard\r\n\r\n'
/** More than any machine keeps for a client that reads nothing. */
const LARGE = Buffer.alloc(48 * 1024 * 1024, 'x')

/** Starts a server with its own handler, and records what happens to its connections. */
async function serve({ onTestFinished }: TestContext, handle: RequestListener, { max = 100 } = {}) {
  let timesFull = 0
  const connections = new Connections(max, () => timesFull++)
  const server = connections.createServer(handle).listen(0, '127.0.0.1')
  const links = new Links({ baseUrl: 'http://placard', supportUrl: undefined })
  replyToClientErrors(server, connections, links, () => 'id')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const closedAt: number[] = []
  server.on('connection', socket => socket.once('close', () => closedAt.push(performance.now())))
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const open = async (bytes: string): Promise<Socket> => {
    const socket = connect({ port, host: '127.0.0.1' }).on('error', () => {})
    await once(socket, 'connect')
    socket.write(bytes)
    return socket
  }
  const refused = once(server, 'clientError')
  return { open, drain: (delayMs: number) => connections.drain(delayMs), closedAt, timesFull: () => timesFull, refused }
}

/** Everything that comes, until the connection ends, however it does. */
async function readAll(socket: Socket): Promise<string> {
  let text = ''
  socket.on('data', chunk => {
    text += chunk
  })
  await new Promise(resolve => socket.once('close', resolve))
  return text
}

test('clients that wait to be accepted when the port closes are answered', async context => {
  const { open, drain } = await serve(context, (_request, response) => response.end())
  const replies: Promise<string>[] = []
  const replyTo = async (socket: Socket) => {
    const [reply] = await Promise.race([once(socket, 'data'), once(socket, 'close')])
    socket.destroy()
    return String(reply)
  }
  setTimeout(() => {
    for (let nth = 0; nth < 40; nth++) replies.push(open(GET).then(replyTo))
    // They connect first. Then the port is due to close, before this process has accepted any.
    process.nextTick(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200))
  }, 150)
  await drain(200)
  for (const reply of await Promise.all(replies)) expect(reply).toMatch(/^HTTP\/1\.1 200 /)
})

describe.concurrent('a client', () => {
  test('that reads nothing of its reply is cut off after 20 seconds, not before', async context => {
    const { expect } = context
    const { open, closedAt } = await serve(context, (_request, response) => response.end(LARGE))
    const startedAt = performance.now()
    const socket = await open(GET)
    await expect.poll(() => closedAt.length, { interval: 100 }).toBe(1)
    const lasted = (closedAt[0] ?? 0) - startedAt
    expect(lasted).toBeGreaterThan(UNREAD_MAX_MS - 1000)
    socket.destroy()
  })

  test('that reads slowly, with pauses, gets a large reply whole', async context => {
    const { expect } = context
    const { open } = await serve(context, (_request, response) => response.end(LARGE))
    const socket = (await open(GET)).pause()
    let received = 0
    for (let pauses = 0; pauses < 3; pauses++) {
      await sleep(UNREAD_MAX_MS / 2)
      // Each time, it reads only some of what has arrived, however long this process is kept from running.
      const enough = received + LARGE.length / 8
      await new Promise<void>(resolve => {
        socket.on('data', chunk => {
          received += chunk.length
          if (received < enough) return
          socket.pause().removeAllListeners('data')
          resolve()
        })
        socket.resume()
      })
    }
    expect(received).toBeLessThan(LARGE.length)
    socket.on('data', chunk => {
      received += chunk.length
    })
    socket.resume()
    await expect.poll(() => received).toBeGreaterThan(LARGE.length)
    socket.destroy()
  })

  test('waits for a reply that takes longer than that, and gets it', async context => {
    const { expect } = context
    const { open } = await serve(context, async (_request, response) => {
      await sleep(UNREAD_MAX_MS + 8000)
      response.setHeader('connection', 'close').end('at last')
    })
    expect(await readAll(await open(GET))).toMatch(/at last$/)
  })

  test('whose next request arrives only in part gets the replies to those before it', async context => {
    const { expect } = context
    const { open, refused } = await serve(context, async (request, response) => {
      if (request.url === '/first') await refused
      response.end(`<${request.url}>`)
    })
    const text = await readAll(await open(`${GET.replace('/', '/first')}${GET.replace('/', '/second')}GET /third`))
    expect(text.match(/<[^>]*>/g)).toEqual(['</first>', '</second>'])
  })
})

describe('requests of one connection', () => {
  test('are handled one after another, and answered in order', async context => {
    let atWork = 0
    let most = 0
    const { open } = await serve(context, async (request, response) => {
      most = Math.max(most, ++atWork)
      await sleep(5)
      atWork--
      if (request.url === '/last') response.setHeader('connection', 'close')
      response.end(`<${request.url}>`)
    })
    const paths = [...Array.from({ length: WAITING_MAX }, (_, nth) => `/${nth}`), '/last']
    const text = await readAll(await open(paths.map(path => GET.replace('/', path)).join('')))
    expect(text.match(/<[^>]*>/g)).toEqual(paths.map(path => `<${path}>`))
    expect(most).toBe(1)
  })

  test('are read no further ahead than the packet that has the next one', async context => {
    let goOn = () => {}
    let begun = 0
    let connection: Socket | undefined
    const { open } = await serve(context, (request, response) => {
      if (request.url === '/other') return void response.end('here')
      connection = request.socket
      if (++begun === 1) goOn = () => response.end('here')
      else response.end('here')
    })
    const many = await open(GET.replace('placard', `placard\r\nX: ${'x'.repeat(12_000)}`).repeat(WAITING_MAX))
    await expect.poll(() => begun).toBe(1)
    const other = await open('')
    for (let turn = 0; turn < 20; turn++) {
      other.write(GET.replace('/', '/other'))
      await once(other, 'data')
    }
    // Node reads 64 KiB at a time. All together are 385 KB.
    expect(connection?.bytesRead).toBeLessThan(200_000)
    many.resume()
    goOn()
    await expect.poll(() => begun).toBe(WAITING_MAX)
    many.destroy()
    other.destroy()
  })

  test('let a request of another client go first', async context => {
    const order: (string | undefined)[] = []
    const { open } = await serve(context, (request, response) => {
      if (order.push(request.url) === 1) other.write(GET.replace('/', '/other'))
      response.end('here')
    })
    const other = await open('')
    const many = await open(GET.repeat(WAITING_MAX))
    await Promise.all([once(other, 'data'), expect.poll(() => order.length).toBe(WAITING_MAX + 1)])
    many.destroy()
    expect(order.indexOf('/other')).toBeLessThan(WAITING_MAX / 2)
  })

  test('end it if too many wait: none of those is handled, whatever came with them', async context => {
    let begun = 0
    let goOn = () => {}
    const { open } = await serve(context, (_request, response) => {
      begun++
      goOn = () => response.end('late')
    })
    expect(await readAll(await open(GET.repeat(2000)))).toBe('')
    goOn()
    await sleep(20)
    expect(begun).toBe(1)
  })
})

describe('bytes that are not HTTP', () => {
  const paths = ['/first', '/second']

  test.for([1, 2])('end the connection after the replies to the %d requests before them', async (count, context) => {
    const { open, refused } = await serve(context, async (request, response) => {
      if (request.url === '/first') await refused
      response.end(`<${request.url}>`)
    })
    const asked = paths.slice(0, count)
    const socket = await open(`${asked.map(path => GET.replace('/', path)).join('')}no HTTP\r\n\r\n`)
    socket.write('nor this')
    const text = await readAll(socket)
    expect(text.match(/<[^>]*>/g)).toEqual(asked.map(path => `<${path}>`))
    expect(text.match(/^Connection: .*$/gm)).toEqual([
      ...asked.slice(1).map(() => 'Connection: keep-alive'),
      'Connection: close',
    ])
  })

  test('end it if the headers of the running reply were sent before', async context => {
    const { open, refused } = await serve(context, async (_request, response) => {
      response.write('half ')
      await refused
      response.end('and half')
    })
    const socket = await open(GET)
    await once(socket, 'data')
    socket.write('no HTTP\r\n\r\n')
    expect(await readAll(socket)).toContain('and half')
  })
})

describe('one connection more than there may be', () => {
  const idle = (_request: unknown, response: { end(text: string): void }) => response.end('here')

  test('replaces the one that has been quiet longest', async context => {
    const { open, closedAt, timesFull } = await serve(context, idle, { max: 3 })
    const [first, second, third] = [await open(''), await open(''), await open('')]
    const gone = once(second.resume(), 'close')
    // The first has sent something since, so the second is the quietest now.
    first.write(GET)
    await once(first, 'data')
    const fourth = await open(GET)
    await once(fourth, 'data')
    await gone
    expect([closedAt.length, timesFull()]).toEqual([1, 1])
    for (const socket of [first, third, fourth]) {
      socket.write(GET)
      await once(socket, 'data')
      socket.destroy()
    }
  })

  test('is itself closed if all others wait for a reply', async context => {
    const answers: (() => void)[] = []
    const { open } = await serve(context, (_request, response) => answers.push(() => response.end('here')), {
      max: 2,
    })
    const busy = [await open(GET), await open(GET)]
    await expect.poll(() => answers.length).toBe(2)
    expect(await readAll(await open(GET))).toBe('')
    for (const answer of answers) answer()
    for (const socket of busy) {
      await once(socket, 'data')
      socket.destroy()
    }
  })
})
