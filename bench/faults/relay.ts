import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** What a relay does to a connection between service and database. */
export type Trouble = 'none' | 'delay' | 'cut' | 'silence' | 'lose commit' | 'lose answer'

/** A relay in front of PostgreSQL, on loopback. */
export interface Relay {
  port: number
  trouble: Trouble
  /** How often each trouble was made. */
  made: Map<Trouble, number>
  close(): void
}

const COMMIT = Buffer.from('commit\0')
const DELAY_MS = 60
/** Of the pieces that pass. */
const CUT_SHARE = 0.02
/** Of the commits. */
const LOSE_SHARE = 0.3

export async function startRelay(toPort: number): Promise<Relay> {
  const sockets = new Set<Socket>()
  const server = createServer(client => {
    const database = connect(toPort, '127.0.0.1')
    const both = [client, database]
    const cut = () => {
      for (const socket of both) socket.destroy()
    }
    for (const socket of both) {
      sockets.add(socket.setNoDelay())
      socket.on('error', cut).on('close', () => {
        sockets.delete(socket)
        cut()
      })
    }
    /** Its answer must not come back. */
    let isAnswerLost = false
    forward(client, database, async piece => {
      if (!piece.includes(COMMIT) || Math.random() > LOSE_SHARE) return
      if (relay.trouble === 'lose commit') tell('lose commit', cut)
      if (relay.trouble === 'lose answer') isAnswerLost = true
    })
    forward(database, client, async () => {
      if (isAnswerLost) tell('lose answer', cut)
    })

    /** Passes pieces on in their order, as the trouble of the moment allows. */
    function forward(from: Socket, to: Socket, look: (piece: Buffer) => Promise<void>): void {
      let last = Promise.resolve()
      from.on('data', piece => {
        last = last.then(async () => {
          const { trouble } = relay
          if (trouble === 'silence') return tell('silence', () => {})
          if (trouble === 'delay') await tell('delay', () => sleep(DELAY_MS * Math.random()))
          if (trouble === 'cut' && Math.random() < CUT_SHARE) tell('cut', cut)
          await look(piece)
          if (!to.destroyed) to.write(piece)
        })
      })
    }
  }).listen(0, '127.0.0.1')
  const tell = <T>(trouble: Trouble, make: () => T): T => {
    relay.made.set(trouble, (relay.made.get(trouble) ?? 0) + 1)
    return make()
  }
  await once(server, 'listening')
  const relay: Relay = {
    port: (server.address() as AddressInfo).port,
    trouble: 'none',
    made: new Map(),
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
  return relay
}
