import {
  createServer,
  IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/**
 * The longest a request can be under way, which is an order for a website that is not listed: the fetcher's queue, the
 * fetch and review (17 s), the readers' queue and the reading (12 s), and the payment processor: a session in two tries
 * (16 s), and what became of the one before (8 s).
 */
export const UNDER_WAY_MAX_MS = 55_000
const CLOSE_IDLE_EVERY_MS = 50

/** A whole request must arrive within this: a client that trickles one in holds nothing for longer. */
const REQUEST_TIMEOUT_MS = 30_000
const CHECK_REQUESTS_EVERY_MS = 1000

/** How long a connection may wait for its next request: longer than the usual minute of proxies that keep some open. */
const IDLE_MAX_MS = 72_000

/** A client that takes nothing of its reply for this long is cut off, within one more step. */
export const UNREAD_MAX_MS = 20_000
const UNREAD_STEP_MS = 5000

/** How long a client may go on sending a request that was refused already, after which its connection ends. */
const LINGER_MS = 2000

const TELL_EVERY_MS = 60_000

/**
 * Requests of one connection that wait until those before them are answered. No browser or proxy sends that many ahead.
 * One that waits for each reply before it asks again may ask for as long as it likes.
 */
export const WAITING_MAX = 32

/**
 * Node goes on parsing what came in one packet after its connection was cut off: thousands of requests, all of which it
 * keeps until the packet ends. It stops parsing at a request that is an upgrade.
 */
class StoppableRequest extends IncomingMessage {
  declare isUpgrade: boolean

  get upgrade(): boolean {
    return this.isUpgrade || this.socket.destroyed
  }

  set upgrade(isUpgrade: boolean) {
    this.isUpgrade = isUpgrade
  }
}

interface Connection {
  /** What is being answered, or is on its way to the client. */
  reply: ServerResponse | undefined
  waiting: number
  /** Steps without a byte taken, and when the last of them ended, on the monotonic clock. */
  unreadSteps: number
  unreadAt: number
  /** Its last reply is on its way: what still comes is read and dropped. */
  isEnding: boolean
}

/**
 * All connections, and what each may hold. The requests of one connection are answered one after the other, so that it
 * never holds more than one reply, and one client's many requests take turns with those of others.
 */
export class Connections {
  readonly #max: number
  readonly #onFull: () => void
  /** On the monotonic clock. */
  #toldAt = Number.NEGATIVE_INFINITY
  readonly #servers: Server[] = []
  /** Those that have sent no request for the longest come first. */
  readonly #open = new Map<Socket, Connection>()

  /** @param onFull called when connections are closed because there are too many, at most once a minute */
  constructor(max: number, onFull: () => void) {
    this.#max = max
    this.#onFull = onFull
  }

  /** A server whose connections are kept within bounds. Fastify makes one for each address of a name like localhost. */
  createServer(handle: RequestListener): Server {
    const server = createServer(
      {
        // Refused by a reply of our own shape.
        requireHostHeader: false,
        requestTimeout: REQUEST_TIMEOUT_MS,
        headersTimeout: REQUEST_TIMEOUT_MS,
        connectionsCheckingInterval: CHECK_REQUESTS_EVERY_MS,
        keepAliveTimeout: IDLE_MAX_MS,
        shouldUpgradeCallback: () => false,
        IncomingMessage: StoppableRequest,
      },
      (request, response) => this.#takeTurns(handle, request, response),
    )
    server.setTimeout(UNREAD_STEP_MS, socket => this.#afterSilence(socket))
    server.on('connection', socket => this.#begin(socket))
    this.#servers.push(server)
    return server
  }

  /** Whether a whole request of a connection is being answered. */
  isAnswering(socket: Socket): boolean {
    const reply = this.#open.get(socket)?.reply
    return reply?.req.complete === true && !reply.writableEnded
  }

  /**
   * Lets a stop wait for requests that are under way, and for nothing else. Connections on which nothing ever came are
   * closed at once, others as soon as they are idle; whoever is still sending a request when all could be finished is
   * cut off. The server by itself would wait for all of these.
   */
  closeOnStop(app: FastifyInstance): void {
    app.addHook('preClose', async () => {
      for (const socket of this.#open.keys()) if (socket.bytesRead === 0) socket.destroy()
      const idle = setInterval(() => {
        for (const server of this.#servers) server.closeIdleConnections()
      }, CLOSE_IDLE_EVERY_MS).unref()
      const rest = setTimeout(() => {
        for (const socket of this.#open.keys()) socket.destroy()
      }, UNDER_WAY_MAX_MS).unref()
      app.server.once('close', () => {
        clearInterval(idle)
        clearTimeout(rest)
      })
    })
  }

  /** Where there are too many, the one that has been quiet for the longest makes room: nobody can keep others out. */
  #begin(socket: Socket): void {
    if (this.#open.size >= this.#max) {
      const quiet = this.#quietest()
      this.#tellThatFull()
      this.#drop(quiet ?? socket)
      if (!quiet) return
    }
    const connection: Connection = {
      reply: undefined,
      waiting: 0,
      unreadSteps: 0,
      unreadAt: 0,
      isEnding: false,
    }
    const destroySoon = socket.destroySoon.bind(socket)
    socket.destroySoon = () => {
      if (connection.reply?.req.complete !== false) return destroySoon()
      // Closed with bytes unread, the system would reset it, and the client might never see its reply.
      connection.isEnding = true
      socket.end().once('end', () => socket.destroy())
      setTimeout(() => socket.destroy(), LINGER_MS).unref()
    }
    this.#open.set(socket, connection)
    socket.once('close', () => this.#open.delete(socket))
  }

  #quietest(): Socket | undefined {
    for (const socket of this.#open.keys()) if (!this.isAnswering(socket)) return socket
    return undefined
  }

  #tellThatFull(): void {
    const now = performance.now()
    if (now - this.#toldAt < TELL_EVERY_MS) return
    this.#toldAt = now
    this.#onFull()
  }

  #drop(socket: Socket): void {
    this.#open.delete(socket)
    socket.destroy()
  }

  #takeTurns(handle: RequestListener, request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request
    const connection = this.#open.get(socket)
    // What else came in the same packet of one that was cut off.
    if (!connection || connection.isEnding || socket.destroyed) return
    const answer = () => {
      connection.reply = response
      response.once('close', () => {
        if (connection.reply === response) connection.reply = undefined
      })
      this.#open.delete(socket)
      this.#open.set(socket, connection)
      handle(request, response)
    }
    // A response has the socket as soon as those before it are out.
    if (response.socket) return void answer()
    if (++connection.waiting > WAITING_MAX) return void this.#drop(socket)
    response.once('socket', () => {
      connection.waiting--
      if (!socket.destroyed) answer()
    })
  }

  /** Nothing came or went for one step, or a connection was idle for as long as it may be. */
  #afterSilence(socket: Socket): void {
    const connection = this.#open.get(socket)
    if (!connection || socket.timeout !== UNREAD_STEP_MS) return void socket.destroy()
    // Working on a reply takes its time, and how long a request may take to arrive is watched elsewhere.
    if (socket.writableLength === 0) return
    const now = performance.now()
    // Had anything been taken meanwhile, this step had begun anew.
    const goesOn = now - connection.unreadAt < 1.5 * UNREAD_STEP_MS
    connection.unreadSteps = goesOn ? connection.unreadSteps + 1 : 1
    connection.unreadAt = now
    if (connection.unreadSteps * UNREAD_STEP_MS >= UNREAD_MAX_MS) this.#drop(socket)
    else socket.setTimeout(UNREAD_STEP_MS)
  }
}
