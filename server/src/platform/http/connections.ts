import { createServer, IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { atMostEvery, MINUTE_MS } from '../lib/time.ts'

/**
 * The longest a request can take: an order for an unlisted website. That is the fetcher's queue, fetch and review (17
 * s), and the readers' queue and reading (12 s). At the payment processor, it is a session in two tries (16 s) and the
 * state of the previous one (8 s).
 */
export const UNDER_WAY_MAX_MS = 55_000
const CLOSE_IDLE_EVERY_MS = 50
/** How long before and after the port closes a proxy still finds connections to reuse. */
const SETTLE_MS = 500
/** How many connections wait to be accepted at most: Node's default. */
const BACKLOG_MAX = 511

/**
 * A whole request must arrive within this time, so that a client that trickles bytes cannot hold a connection longer.
 */
const REQUEST_TIMEOUT_MS = 30_000
const CHECK_REQUESTS_EVERY_MS = 1000

/** How long a connection may idle: longer than the minute for which proxies usually keep one open. */
const IDLE_MAX_MS = 72_000

/** A client that reads nothing of its reply for this long is disconnected, within two more steps. */
export const UNREAD_MAX_MS = 20_000
const UNREAD_STEP_MS = 5000

/** How long a client may keep sending a refused request before its connection closes. */
const LINGER_MS = 2000

/**
 * How many requests of one connection may wait for earlier ones. No browser or proxy sends that many in advance. A
 * client that waits for each reply has no limit. Node would start all of them at once and hold each reply until it is
 * read: 300 connections with 300 requests each took 390 MB. Its own `maxRequestsPerSocket` counts over a connection's
 * whole life, and would end the connections of legitimate proxies.
 */
export const WAITING_MAX = 32

/**
 * Stops Node from parsing the rest of a packet after its connection was ended. The packet can contain thousands of
 * requests, all held until it ends. Node stops parsing at a request that is an upgrade.
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
  /** The reply being prepared or sent, or the last one. */
  reply: ServerResponse | undefined
  waiting: number
  /** Steps without a byte read, and when the last of them ended, on the monotonic clock. */
  unreadSteps: number
  unreadAt: number
  /** Only requests that arrived are answered. Further bytes are read and dropped. */
  isEnding: boolean
}

/**
 * All connections, and their limits. Each connection's requests are answered one at a time, so that it never holds more
 * than one reply, and one client's many requests alternate with those of others.
 */
export class Connections {
  readonly #max: number
  readonly #onFull: () => void
  readonly #servers: Server[] = []
  #endsAfterReply = false
  #accepted = 0
  /** In order of the last request, oldest first. */
  readonly #open = new Map<Socket, Connection>()

  /** @param onFull called when a connection is closed because there are too many, at most once a minute */
  constructor(max: number, onFull: () => void) {
    this.#max = max
    this.#onFull = atMostEvery(MINUTE_MS, onFull)
  }

  /** Returns a server whose connections are limited. Fastify creates one for each address of a name like localhost. */
  createServer(handle: RequestListener): Server {
    const server = createServer(
      {
        // A request without a Host header is refused with our own error.
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
    server.on('timeout', socket => this.#afterSilence(socket))
    const looking = setInterval(() => this.#lookForUnread(), UNREAD_STEP_MS).unref()
    server.once('close', () => clearInterval(looking))
    server.on('connection', socket => this.#begin(socket))
    this.#servers.push(server)
    return server
  }

  /**
   * Prepares a stop so that no client sends into a connection that is about to close: replies announce that their
   * connection ends. Connections that wait to be accepted when the port closes would be lost. So shortly before that,
   * replies keep connections open, and a proxy needs no new ones.
   *
   * @param delayMs until the port closes
   */
  async drain(delayMs: number): Promise<void> {
    const settleMs = Math.min(SETTLE_MS, delayMs / 2)
    this.#closeAfterReplies()
    await sleep(delayMs - settleMs)
    this.#endsAfterReply = false
    await sleep(settleMs)
    // Node accepts one connection in each turn of its loop. Those that wait come first, unless they never end.
    for (let turns = 0, before = -1; turns < BACKLOG_MAX && before !== this.#accepted; turns++) {
      before = this.#accepted
      await nextTurn()
    }
    // Only the port: Node's HTTP server would close idle connections as well.
    for (const server of this.#servers) NetServer.prototype.close.call(server)
    this.#closeAfterReplies()
    await sleep(settleMs)
  }

  #closeAfterReplies(): void {
    this.#endsAfterReply = true
    for (const { reply } of this.#open.values()) {
      if (reply && !reply.headersSent) reply.shouldKeepAlive = false
    }
  }

  /** Ends a connection that cannot be read further, after the replies to its requests. @returns false if none are due */
  endAfterReplies(socket: Socket): boolean {
    const connection = this.#open.get(socket)
    if (!connection || connection.isEnding) return connection !== undefined
    if (connection.waiting === 0 && !isAnswering(connection)) return false
    connection.isEnding = true
    if (connection.waiting === 0 && connection.reply) endAfter(connection.reply, socket)
    return true
  }

  /**
   * Makes a stop wait for requests in progress, and nothing else. It closes unused connections at once and others as
   * soon as they are idle. A client still sending a request when everything else is done is disconnected. Node's server
   * alone would wait for all of these.
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

  /** If there are too many, closes the one that was idle longest, so that no client can keep others out. */
  #begin(socket: Socket): void {
    this.#accepted++
    if (this.#open.size >= this.#max) {
      const quiet = this.#quietest()
      this.#onFull()
      this.#drop(quiet ?? socket)
      if (!quiet) return
    }
    const connection: Connection = { reply: undefined, waiting: 0, unreadSteps: 0, unreadAt: 0, isEnding: false }
    const destroySoon = socket.destroySoon.bind(socket)
    socket.destroySoon = () => {
      if (connection.reply?.req.complete !== false && !connection.isEnding) return destroySoon()
      // If the socket were closed with unread bytes, the system would reset it, and the client might never see its
      // reply.
      connection.isEnding = true
      socket.end().once('end', () => socket.destroy())
      setTimeout(() => socket.destroy(), LINGER_MS).unref()
    }
    this.#open.set(socket, connection)
    socket.once('close', () => this.#open.delete(socket))
  }

  #quietest(): Socket | undefined {
    for (const [socket, connection] of this.#open) if (!isAnswering(connection)) return socket
    return undefined
  }

  #drop(socket: Socket): void {
    this.#open.delete(socket)
    socket.destroy()
  }

  #takeTurns(handle: RequestListener, request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request
    const connection = this.#open.get(socket)
    // Requests of a packet whose connection has ended.
    if (!connection || connection.isEnding || socket.destroyed) return
    // A response gets the socket once the earlier ones are sent.
    if (response.socket) return void this.#answer(connection, handle, request, response)
    if (++connection.waiting > WAITING_MAX) return void this.#drop(socket)
    // One turn of the event loop would otherwise parse all that many connections have sent. Node reads on at the end of
    // each request: this comes after that.
    queueMicrotask(() => {
      if (connection.waiting > 0) socket.pause()
    })
    response.once('socket', () => {
      // Replies that fit into the socket are sent at once: all waiting requests would be answered before other clients.
      setImmediate(() => {
        if (--connection.waiting === 0) socket.resume()
        if (!socket.destroyed) this.#answer(connection, handle, request, response)
      })
    })
  }

  #answer(connection: Connection, handle: RequestListener, request: IncomingMessage, response: ServerResponse): void {
    if (this.#endsAfterReply) response.shouldKeepAlive = false
    if (connection.isEnding && connection.waiting === 0) endAfter(response, request.socket)
    connection.reply = response
    this.#open.delete(request.socket)
    this.#open.set(request.socket, connection)
    handle(request, response)
  }

  /** Times only replies that are read slowly: a timer for each would take a thirtieth of a small one's time. */
  #lookForUnread(): void {
    for (const socket of this.#open.keys()) {
      if (socket.writableLength > 0 && socket.timeout !== UNREAD_STEP_MS) socket.setTimeout(UNREAD_STEP_MS)
    }
  }

  /** Called after a step without traffic, or when a connection has idled too long. */
  #afterSilence(socket: Socket): void {
    const connection = this.#open.get(socket)
    if (!connection || socket.timeout !== UNREAD_STEP_MS) return void socket.destroy()
    // A reply may take time to prepare, and the time for a request to arrive is limited elsewhere.
    if (socket.writableLength === 0) return
    const now = performance.now()
    // If the client had read anything, this step would have started again.
    const goesOn = now - connection.unreadAt < 1.5 * UNREAD_STEP_MS
    connection.unreadSteps = goesOn ? connection.unreadSteps + 1 : 1
    connection.unreadAt = now
    if (connection.unreadSteps * UNREAD_STEP_MS >= UNREAD_MAX_MS) this.#drop(socket)
    else socket.setTimeout(UNREAD_STEP_MS)
  }
}

/** Returns whether a complete request is being answered. */
const isAnswering = ({ reply }: Connection) => reply?.req.complete === true && !reply.writableEnded

/** Makes a reply the last one of its connection, even if its headers have been sent. */
function endAfter(reply: ServerResponse, socket: Socket): void {
  reply.shouldKeepAlive = false
  reply.once('finish', () => socket.destroySoon())
}
