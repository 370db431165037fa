// @module-tag programs
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { migratedDatabase } from '../../support/engines.ts'
import { startProcess } from '../../support/process.ts'

const CONNECT = 'CONNECT example.org:443 HTTP/1.1\r\nHost: example.org:443\r\n\r\n'
const GARBAGE = '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'

test('a client that resets or keeps a refused connection neither ends the service nor delays its stop', async () => {
  const database = await migratedDatabase('sqlite')
  const service = await startProcess(database.env)
  const port = Number(new URL(service.url).port)
  for (const bytes of [CONNECT, GARBAGE]) {
    for (let round = 0; round < 200; round++) {
      const socket = open(port, bytes)
      // At various moments, from before the reply to after it.
      if (round % 4) await sleep((round % 4) - 1)
      socket.resetAndDestroy()
    }
  }
  const held = [CONNECT, GARBAGE].map(bytes => open(port, bytes, { allowHalfOpen: true }))
  await Promise.all(held.map(socket => new Promise(resolve => socket.once('end', resolve))))
  expect((await fetch(`${service.url}/healthz`)).status).toBe(200)
  expect(await service.end('SIGTERM')).toBe(0)
  for (const socket of held) socket.destroy()
})

function open(port: number, bytes: string, options: { allowHalfOpen?: boolean } = {}): Socket {
  const socket = connect({ port, host: '127.0.0.1', ...options }).on('error', () => {})
  socket.resume().write(bytes)
  return socket
}
