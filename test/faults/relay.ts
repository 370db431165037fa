import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** What a relay does to a connection between service and database. */
export type Trouble = 'down' | 'none' | 'delay' | 'cut' | 'silence' | 'lose commit' | 'lose answer'

const DELAY_MS = 60
/** Of the pieces that pass. */
const CUT_SHARE = 0.02
/** Of the commits. */
const LOSE_SHARE = 0.3
const COMMIT = Buffer.from('commit\0')

/** Starts a relay in front of PostgreSQL on loopback, which counts how often it made each trouble. */
export async function startRelay(toPort: number) {
  const sockets = new Set<Socket>()
  const made = new Map<Trouble, number>()
  const make = (trouble: Trouble) => made.set(trouble, (made.get(trouble) ?? 0) + 1)
  const server = createServer(client => {
    if (relay.trouble === 'down') return void client.destroy()
    const database = connect(toPort, '127.0.0.1')
    let isAnswerLost = false
    const end = () => {
      for (const socket of [client, database]) socket.destroy()
    }
    const cut = (trouble: Trouble) => {
      make(trouble)
      end()
    }
    const pass = async (piece: Buffer, to: Socket) => {
      const { trouble } = relay
      if (trouble === 'silence') return make(trouble)
      if (trouble === 'delay') await sleep(DELAY_MS * Math.random(), make(trouble))
      if (trouble === 'cut' && Math.random() < CUT_SHARE) cut(trouble)
      if (to === client && isAnswerLost) cut('lose answer')
      if (to === database && piece.includes(COMMIT) && Math.random() < LOSE_SHARE) {
        if (trouble === 'lose commit') cut(trouble)
        isAnswerLost = trouble === 'lose answer'
      }
      return to.destroyed || to.write(piece)
    }
    for (const [from, to] of [[client, database] as const, [database, client] as const]) {
      let inOrder: Promise<unknown> = Promise.resolve()
      sockets.add(from.setNoDelay())
      from.on('error', end).on('close', end)
      from.on('data', piece => {
        inOrder = inOrder.then(() => pass(piece, to))
      })
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const drop = () => {
    for (const socket of sockets) socket.destroy()
    sockets.clear()
  }
  const close = () => {
    server.close()
    drop()
  }
  /** Cuts the line: every connection ends, and none is accepted until the trouble is another. */
  const goDown = () => {
    relay.trouble = 'down'
    drop()
  }
  const { port } = server.address() as AddressInfo
  const relay = { port: `${port}`, trouble: 'none' as Trouble, made, close, goDown }
  return relay
}
