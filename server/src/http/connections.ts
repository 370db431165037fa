import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/**
 * The longest a request can be under way, which is an order for a website that is not listed: the fetcher's queue, the
 * fetch and review (17 s), the readers' queue and the reading (12 s), and the payment processor: a session in two tries
 * (16 s), and what became of the one before (8 s).
 */
export const UNDER_WAY_MAX_MS = 55_000
const CLOSE_IDLE_EVERY_MS = 50

/**
 * Lets a stop wait for requests that are under way, and for nothing else. Connections on which nothing ever came are
 * closed at once, others as soon as they are idle; whoever is still sending a request when all could be finished is cut
 * off. The server by itself would wait for all of these.
 */
export function closeConnectionsOnStop(app: FastifyInstance): void {
  const sockets = new Set<Socket>()
  app.server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  app.addHook('preClose', async () => {
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
    const idle = setInterval(() => app.server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS).unref()
    const rest = setTimeout(() => {
      for (const socket of sockets) socket.destroy()
    }, UNDER_WAY_MAX_MS).unref()
    app.server.once('close', () => {
      clearInterval(idle)
      clearTimeout(rest)
    })
  })
}
