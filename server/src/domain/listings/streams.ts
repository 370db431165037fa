import { statSync } from 'node:fs'
import { Readable } from 'node:stream'
import { Worker } from 'node:worker_threads'
import {
  LISTING_STREAM_PATH,
  LISTING_STREAM_TYPE,
  type ListingStreamQuery,
  listingStreamSchema,
} from '@placard/contract'
import type { FastifyInstance } from 'fastify'
import { licenseUrl } from '../../platform/config/site.ts'
import { clientNetworks } from '../../platform/http/client-address.ts'
import { UNREAD_MAX_MS } from '../../platform/http/connections.ts'
import type { SiteParts } from '../../platform/http/links.ts'
import { OPEN } from '../../platform/http/open-routes.ts'
import { Problem } from '../../platform/http/problem.ts'
import { takesGzip } from '../../platform/http/send.ts'
import { scriptFile } from '../../platform/lib/package.ts'
import { createSlots } from '../../platform/lib/slots.ts'
import { MINUTE_MS, SECOND_MS } from '../../platform/lib/time.ts'
import type { StreamPart, StreamWanted } from './stream-parts.ts'

/** Streams of one process. The networks of clients take turns, and one network alone leaves a place for others. */
const SLOTS = { atOnceMax: 4, waitersMax: 40, waitMs: 10_000, reserved: 1 }
const RETRY_SECONDS = 30

/** Adds GET /api/v1/listings.ndjson: all listings, or all changes since a time, from one snapshot of the database. */
export function listingStreamRoute(app: FastifyInstance, deps: SiteParts, limits?: Partial<StreamLimits>): void {
  const { links, store, clock } = deps
  const streams = new ListingStreams(limits)
  const slots = createSlots(SLOTS)
  app.addHook('preClose', () => streams.close())
  app.get<{ Querystring: ListingStreamQuery }>(
    LISTING_STREAM_PATH,
    { schema: listingStreamSchema, ...OPEN },
    async (request, reply) => {
      const { license } = links.site
      const terms = licenseUrl(links.site)
      const isGzip = takesGzip(request.headers['accept-encoding'])
      const { updatedSince } = request.query
      // The next stream differs, so a cache would only fill its disk.
      reply.headers({ 'cache-control': 'no-store', vary: 'accept-encoding' }).type(LISTING_STREAM_TYPE)
      if (terms !== undefined) reply.header('link', `<${terms}>; rel="license"`)
      // Not before, because an error is not compressed.
      const send = (body: Readable) => (isGzip ? reply.header('content-encoding', 'gzip') : reply).send(body)
      // Empty as a stream, because a reply without one states the length 0.
      if (request.method === 'HEAD') return send(Readable.from([]))
      const release = await slots.acquire({ networks: clientNetworks(request) })
      if (!release) throw tooBusy('Too many streams are being read.')
      const stream = await streams
        .open({
          database: store.address,
          isGzip,
          now: clock(),
          updatedSince: updatedSince === undefined ? undefined : Number(updatedSince),
          base: links.base,
          license,
        })
        .catch(error => {
          release()
          throw tooBusy('The listings cannot be read now.', error)
        })
      return send(stream.once('close', release))
    },
  )
}

const tooBusy = (detail: string, cause?: unknown) =>
  new Problem('not_ready', {
    message: `${detail} Retry after the seconds in Retry-After.`,
    retryAfterSeconds: RETRY_SECONDS,
    cause,
  })

/** What the thread gets: a stream to open; one whose next part is wanted; one to close. */
export type ToThread = { id: number; open: StreamWanted } | { id: number; next: true } | { id: number; close: true }

/** What it answers: a stream is open; its next part; why there is none. */
export type FromThread = { id: number } & ({ opened: true } | { part: StreamPart } | { error: string })

/** A stream could not be read. */
class StreamFailed extends Error {
  override name = 'StreamFailed'
}

/** How long a stream may take in all, and how long its reader may take no bytes. Its snapshot is open until then. */
interface StreamLimits {
  streamMaxMs: number
  unreadMaxMs: number
  /** How long SQLite's log may be. While any snapshot is open, it grows, so slow readers in turns could fill the disk. */
  logMaxBytes: number
}

const LIMITS: StreamLimits = {
  streamMaxMs: 5 * MINUTE_MS,
  unreadMaxMs: UNREAD_MAX_MS,
  logMaxBytes: 256 * 1024 * 1024,
}

const LOG_CHECKED_EVERY_MS = SECOND_MS

/** How long the thread stays without a stream. It takes some 15 MB. */
const IDLE_MAX_MS = 10_000

/** How many bytes of a stream are kept for its reader. The thread may be sending one more part. */
const AHEAD_BYTES = 128 * 1024

/** Many times what four streams need. */
const HEAP_MAX_MB = 32

/**
 * Streams that one thread reads in turns, each in its own snapshot. The thread has a low priority, so that streams get
 * what requests leave. A stream whose reader pauses costs its snapshot and a few parts in memory, until it is cut.
 */
class ListingStreams {
  readonly #limits: StreamLimits
  readonly #open = new Map<number, PulledStream>()
  #thread: Worker | undefined
  #idle: NodeJS.Timeout | undefined
  #watch: NodeJS.Timeout | undefined
  #lastId = 0

  constructor(limits: Partial<StreamLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits }
  }

  /** @throws StreamFailed if the database cannot be read */
  async open(wanted: StreamWanted): Promise<Readable> {
    if (this.#hasLongLog(wanted)) throw new StreamFailed(LONG_LOG)
    const id = ++this.#lastId
    clearTimeout(this.#idle)
    this.#thread ??= this.#start()
    const thread = this.#thread
    const send = (message: ToThread) => thread.postMessage(message)
    const stream = new PulledStream(this.#limits, () => send({ id, next: true }))
    this.#open.set(id, stream)
    this.#watch ??= setInterval(() => {
      if (this.#hasLongLog(wanted)) this.#fail(new StreamFailed(LONG_LOG))
    }, LOG_CHECKED_EVERY_MS).unref()
    stream.once('close', () => {
      this.#open.delete(id)
      if (this.#open.size === 0) this.#watch = void clearInterval(this.#watch)
      if (thread !== this.#thread) return
      send({ id, close: true })
      if (this.#open.size === 0) this.#idle = setTimeout(() => void this.#end(), IDLE_MAX_MS).unref()
    })
    send({ id, open: wanted })
    await stream.opened
    return stream
  }

  /** Ends all streams. Call it before the database is closed: the last connection to close must be the writer's. */
  async close(): Promise<void> {
    clearTimeout(this.#idle)
    await this.#end()
  }

  #start(): Worker {
    const thread = new Worker(scriptFile('ops/processes/stream-listings'), {
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MAX_MB, maxYoungGenerationSizeMb: 4 },
    })
    const lose = (cause?: Error) => {
      if (this.#thread !== thread) return
      this.#thread = undefined
      this.#fail(new StreamFailed('the thread of streams ended', { cause }))
    }
    thread.unref()
    return thread
      .on('message', (message: FromThread) => this.#open.get(message.id)?.hear(message))
      .on('error', lose)
      .on('exit', () => lose())
  }

  async #end(): Promise<void> {
    const thread = this.#thread
    this.#thread = undefined
    this.#fail(new StreamFailed('the service is stopping'))
    await thread?.terminate()
  }

  #hasLongLog({ database: { engine, at } }: StreamWanted): boolean {
    if (engine !== 'sqlite') return false
    return (statSync(`${at}-wal`, { throwIfNoEntry: false })?.size ?? 0) > this.#limits.logMaxBytes
  }

  #fail(error: Error): void {
    for (const stream of this.#open.values()) stream.destroy(error)
  }
}

const LONG_LOG = 'the log of the database is too long'

/** A stream that asks for its next part when its reader has taken the last ones. */
class PulledStream extends Readable {
  readonly #limits: StreamLimits
  readonly #ask: () => void
  readonly #total: NodeJS.Timeout
  readonly #opening = Promise.withResolvers<void>()
  #unread: NodeJS.Timeout | undefined

  constructor(limits: StreamLimits, ask: () => void) {
    super({ highWaterMark: AHEAD_BYTES })
    this.#limits = limits
    this.#ask = ask
    this.#total = setTimeout(() => this.destroy(new StreamFailed('the stream took too long')), limits.streamMaxMs)
    // A reader that has left hears nothing.
    this.on('error', () => {})
    this.#opening.promise.catch(() => {})
  }

  /** @throws StreamFailed if it ends before its first part */
  get opened(): Promise<void> {
    return this.#opening.promise
  }

  hear(message: FromThread): void {
    // The reply begins with the first part: until then, an error can be the reply.
    if ('opened' in message) return void this.read(0)
    if ('error' in message) return void this.destroy(new StreamFailed(message.error))
    const { bytes, isLast } = message.part
    const goesOn = this.push(Buffer.from(bytes.buffer))
    this.#opening.resolve()
    if (isLast) return void this.push(null)
    if (goesOn) return
    const cut = () => this.destroy(new StreamFailed('the reader took too long'))
    this.#unread = setTimeout(cut, this.#limits.unreadMaxMs)
  }

  override _read(): void {
    clearTimeout(this.#unread)
    this.#ask()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    clearTimeout(this.#unread)
    clearTimeout(this.#total)
    this.#opening.reject(error ?? new StreamFailed('the reader left'))
    done(error)
  }
}
