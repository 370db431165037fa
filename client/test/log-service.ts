import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  checkpointText,
  cosignerOf,
  entryText,
  joinNote,
  type LogEntry,
  leafHash,
  parseTilePath,
  type ReadTile,
  rootOfHashes,
  signerOf,
  TILE_WIDTH,
  treeRoot,
  writeBundle,
} from '@placard/contract/log'
import { run } from '../src/command/run.ts'

/** Noon of the day that is today to the service. */
const NOON = Date.parse('2026-11-21T12:00:00Z')
const TODAY = '2026-11-21'

interface Total {
  totalCents: number
  reachedAt: number
}

/**
 * A service that has only what is public of a log and its boards. It books its boards apart from its entries, so that
 * both can be compared, and lets a test change every byte that it sends.
 */
export class LogService {
  readonly entries: string[] = []
  readonly #levels: Buffer[][] = [[]]
  readonly #sorted = new Map<string, { size: number; places: [number, Total][] }>()
  readonly boards = new Map<string, Map<number, Total>>()
  readonly hidden = new Set<number>()
  readonly draws = new Map<string, { listings: number[]; seed: string; logSize: number | null }>()
  readonly witness = cosignerOf('witness.example/w1', Buffer.alloc(32, 9))
  /** Its signing keys, the newest first. */
  signers = [signerOf('site.example/log', Buffer.alloc(32, 1))]
  origin = 'site.example/log'
  /** What a path answers instead. */
  readonly overrides = new Map<string, (right: Buffer | undefined) => Buffer | undefined>()
  readonly requests: string[] = []
  /** Called before each answer. */
  onRequest: (path: string) => void | Promise<void> = () => {}
  /** The media type of the files of the log. */
  type = 'text/plain'
  note = ''
  isCosigned = true
  #now = NOON - 30 * 86_400_000
  url = ''
  #server = createServer(async (request, response) => {
    const path = request.url ?? ''
    this.requests.push(path)
    await this.onRequest(path)
    const right = await this.answer(path)
    const override = this.overrides.get(path.split('?')[0] ?? '')
    const body = override ? override(right) : right
    const isFile = path.startsWith('/log/')
    const missing = JSON.stringify({ code: 'not_found', error: 'There is nothing here.' })
    response.writeHead(body ? 200 : 404, { 'content-type': isFile && body ? this.type : 'application/json' })
    response.end(body ?? missing)
  })

  static async start(): Promise<LogService> {
    const service = new LogService()
    service.#server.listen(0, '127.0.0.1')
    await once(service.#server, 'listening')
    service.url = `http://127.0.0.1:${(service.#server.address() as AddressInfo).port}`
    return service
  }

  /** Forgets all entries, to tell another history. */
  reset(): void {
    this.entries.length = 0
    this.#levels.splice(0, this.#levels.length, [])
    for (const all of [this.boards, this.hidden, this.draws, this.#sorted]) all.clear()
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise(resolve => this.#server.close(resolve))
  }

  begin(more: Partial<LogEntry> = {}): void {
    const vkey = this.signers.at(-1)?.vkey ?? ''
    this.add({ kind: 'began', origin: this.origin, replayed: false, vkey, ...more })
  }

  /** Adds an entry, with its index and a time one second after the one before. */
  add(entry: Partial<LogEntry> & { kind: string }): void {
    this.#now += 1000
    const time = new Date(this.#now).toISOString()
    this.addText(entryText({ index: this.entries.length, time, notBefore: time, ...entry }))
  }

  addText(text: string): void {
    this.entries.push(text)
    let hash = leafHash(text)
    for (let level = 0; ; level++) {
      const hashes = this.#levels[level] ?? []
      this.#levels[level] = hashes
      hashes.push(hash)
      if (hashes.length % TILE_WIDTH !== 0) return
      hash = rootOfHashes(Buffer.concat(hashes.slice(-TILE_WIDTH)))
    }
  }

  /** Books money for a listing on a day, and on the board of all time. */
  count(listing: number, changeCents: number, day = TODAY, kind = changeCents < 0 ? 'refunded' : 'counted'): void {
    const reachedAt = this.#now + 1000
    for (const board of ['all', day]) {
      const totals = this.boards.get(board) ?? new Map<number, Total>()
      this.boards.set(board, totals)
      const before = totals.get(listing)
      const totalCents = (before?.totalCents ?? 0) + changeCents
      const total = { totalCents, reachedAt: changeCents < 0 && before ? before.reachedAt : reachedAt }
      if (totalCents === 0) totals.delete(listing)
      else totals.set(listing, total)
      this.add({ kind, board, listing, changeCents, ...this.#after(total, listing) })
    }
  }

  /** Hides a listing, or restores it: on open boards with an entry. */
  show(listing: number, shown: boolean): void {
    this.add({ kind: shown ? 'restored' : 'hidden', listing, private: leafHash('private').toString('base64') })
    if (shown) this.hidden.delete(listing)
    else this.hidden.add(listing)
    for (const board of ['all', TODAY]) {
      const total = this.boards.get(board)?.get(listing)
      const kind = shown ? 'placed' : 'left'
      if (total) this.add({ kind, board, listing, changeCents: 0, ...this.#after(total, listing) })
    }
  }

  #after({ totalCents, reachedAt }: Total, listing: number): Partial<LogEntry> {
    const reached = totalCents > 0 && { reachedAt: new Date(reachedAt).toISOString() }
    return { totalCents, ...reached, shown: totalCents > 0 && !this.hidden.has(listing) }
  }

  async draw(day: string, listings: number[]): Promise<void> {
    const logSize = this.entries.length
    this.draws.set(day, { listings, seed: (await treeRoot(logSize, this.readTile)).toString('hex'), logSize })
    for (const [at, listing] of listings.entries()) this.add({ kind: 'drawn', board: day, listing, place: at + 1 })
  }

  readonly readTile: ReadTile = async (level, index, width) =>
    Buffer.concat(this.#levels[level]?.slice(index * TILE_WIDTH, index * TILE_WIDTH + width) ?? [])

  /** Signs a checkpoint of all entries. */
  async publish(): Promise<void> {
    const size = this.entries.length
    const text = checkpointText({ origin: this.origin, size, root: await treeRoot(size, this.readTile) })
    const cosigned = this.isCosigned ? [this.witness.cosign(text, NOON / 1000)] : []
    this.note = joinNote(text, [...this.signers.map(signer => signer.sign(text)), ...cosigned])
  }

  /** Returns the body for a path. Undefined if there is none. */
  async answer(path: string): Promise<Buffer | undefined> {
    const { pathname, searchParams } = new URL(path, 'http://site.example')
    if (pathname === '/log/checkpoint') return Buffer.from(this.note)
    if (pathname.startsWith('/log/')) return this.#file(pathname.slice('/log/'.length))
    const [, board] = /^\/api\/v1\/boards\/(?:days\/)?(.*)$/.exec(pathname) ?? []
    if (board !== undefined) return this.#board(board, Number(searchParams.get('cursor') ?? 0))
    const [, day = ''] = /^\/api\/v1\/draws\/(.*)$/.exec(pathname) ?? []
    return this.#draw(day)
  }

  async #file(path: string): Promise<Buffer | undefined> {
    const { level, index, width } = parseTilePath(path) ?? {}
    if (level === undefined || index === undefined || width === undefined) return undefined
    const from = index * TILE_WIDTH
    if (level === 'entries') return writeBundle(this.entries.slice(from, from + width))
    return this.readTile(level, index, width)
  }

  #board(name: string, after: number): Buffer {
    const key = name === 'today' ? TODAY : name
    const places = this.#places(key)
    const entries = places.slice(after, after + 100).map(([id, total], at) => ({
      rank: after + at + 1,
      id,
      productUrl: `https://site.example/product/${id}`,
      title: `Listing ${id}`,
      ...total,
    }))
    const nextCursor = places.length > after + 100 ? String(after + 100) : null
    return Buffer.from(JSON.stringify({ day: key === 'all' ? null : key, entries, nextCursor }))
  }

  /** Sorted once for all pages, or a board of many pages would take as long as its verification. */
  #places(key: string): [number, Total][] {
    const known = this.#sorted.get(key)
    if (known?.size === this.entries.length) return known.places
    const places = [...(this.boards.get(key) ?? [])]
      .filter(([listing]) => !this.hidden.has(listing))
      .sort(([, one], [, other]) => other.totalCents - one.totalCents || one.reachedAt - other.reachedAt)
    this.#sorted.set(key, { size: this.entries.length, places })
    return places
  }

  #draw(day: string): Buffer | undefined {
    const draw = this.draws.get(day)
    if (!draw) return undefined
    const { listings, ...rest } = draw
    const drawn = listings.map((id, at) => ({
      place: at + 1,
      id,
      slug: `listing-${id}`,
      lot: '',
      productUrl: null,
      title: null,
    }))
    const candidates = { count: 0, sha256: '', pages: 0, url: null }
    return Buffer.from(JSON.stringify({ day, drawnAt: NOON, notice: '', algorithm: 1, ...rest, candidates, drawn }))
  }
}

/** Runs `placard-agent` in this process, and returns its exit code and what it wrote. */
export async function runCommand(argv: string[]) {
  const [out, errors]: [string[], string[]] = [[], []]
  const io = {
    env: {},
    stdin: process.stdin,
    stdout: { write: (text: string) => out.push(text) },
    stderr: { write: (text: string) => errors.push(text) },
  }
  const code = await run(argv, io)
  return { code, stdout: out.join(''), stderr: errors.join('') }
}
