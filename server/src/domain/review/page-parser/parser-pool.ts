import { type ChildProcess, fork } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { OUTSIDE_GROUP, yieldToTheService } from '../../../platform/lib/child-process.ts'
import type { Use } from '../../../platform/lib/diagnostics.ts'
import { scriptFile } from '../../../platform/lib/package.ts'
import { createSlots, type Slots } from '../../../platform/lib/slots.ts'
import type { Read } from '../page.ts'
import { type CannotTell, cannotTell, type Reject } from '../verdict.ts'

/** A fetched page, for another process to parse. */
export interface UnreadPage {
  body: Uint8Array
  /** Final address after redirects. */
  url: string
  /** Response headers of the final hop, names in lower case. */
  headers: Readonly<Record<string, string>>
}

export interface ReaderLimits {
  /** Readers at one time. */
  atOnceMax: number
  /** The maximum number of pages that wait for a reader, and how long each may wait, even while one is starting. */
  waitersMax: number
  waitMs: number
  /** From when a reader receives the page. The slowest page of 1 MiB takes 250 ms. */
  readMs: number
  /** Until a new reader is ready. On a busy machine, that takes seconds. */
  startMs: number
}

const DEFAULT_LIMITS: ReaderLimits = {
  // Leave one processor to the service. A single reader would idle from each answer until it gets the next page.
  atOnceMax: Math.min(4, Math.max(2, availableParallelism() - 1)),
  // As many as one fetcher visits at a time.
  waitersMax: 512,
  waitMs: 8_000,
  readMs: 4_000,
  startMs: 30_000,
}

/** Many times what the most demanding page needs. */
const HEAP_MAX_MB = 128
/**
 * V8 counts new objects towards the limit above. Under constant load, it reserves up to 96 MB for them, and would then
 * collect the whole heap for every few pages.
 */
const YOUNG_MAX_MB = 8
const NICENESS = 10

/**
 * Parses pages in a few separate processes, so that no page can stop the service. A reader starts when first needed,
 * and stays. If one fails or takes too long, it is killed, and the next page gets a new one.
 */
export class PageReaders {
  readonly #limits: ReaderLimits
  readonly #turns: Slots
  #isClosed = false
  readonly #script: string
  readonly #all = new Set<ChildProcess>()
  readonly #idle = new Set<ChildProcess>()
  readonly #waiting = new Set<(reader?: ChildProcess) => void>()

  /** @param options smaller limits or another script, for tests */
  constructor(options: { limits?: Partial<ReaderLimits>; script?: string } = {}) {
    this.#limits = { ...DEFAULT_LIMITS, ...options.limits }
    this.#turns = createSlots(this.#limits)
    this.#script = options.script ?? scriptFile('ops/processes/parse-pages')
  }

  /**
   * Parses a page and judges it by the page rules. Never throws: a failure is "cannot tell".
   *
   * @param networks of the client who requested it, broadest first
   */
  async read(page: UnreadPage, networks?: readonly string[]): Promise<Read | Reject | CannotTell> {
    const giveUpAt = performance.now() + this.#limits.waitMs
    const leave = await this.#turns.enter({ networks })
    if (!leave) return cannotTell('no reader was free', 'busy')
    try {
      if (this.#isClosed) return cannotTell('the readers are closed', 'busy')
      const reader = this.#takeIdle() ?? (await this.#waitForOne(giveUpAt - performance.now()))
      return reader ? await this.#readWith(reader, page) : cannotTell('no reader was free', 'busy')
    } finally {
      leave()
    }
  }

  async #readWith(reader: ChildProcess, page: UnreadPage): Promise<Read | Reject | CannotTell> {
    try {
      const read = await answerOf(reader, page, this.#limits.readMs)
      this.#offer(reader)
      return read
    } catch (error) {
      reader.kill('SIGKILL')
      return cannotTell(`the page cannot be read: ${(error as Error).message}`)
    }
  }

  /** Ends all readers. Pages they are reading get "cannot tell". */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#sendAway()
    await Promise.all(
      [...this.#all].map(reader => {
        reader.ref()
        reader.kill('SIGKILL')
        return new Promise(resolve => reader.once('exit', resolve))
      }),
    )
  }

  /** Returns the number of busy readers and of waiting pages. */
  use(): Use {
    const idle = this.#idle.size
    return { busy: this.#all.size - idle, idle, waiting: this.#waiting.size + this.#turns.use().waiting }
  }

  #takeIdle(): ChildProcess | undefined {
    const [reader] = this.#idle
    if (reader === undefined) return undefined
    this.#idle.delete(reader)
    reader.ref()
    reader.channel?.ref()
    return reader
  }

  #waitForOne(waitMs: number): Promise<ChildProcess | undefined> {
    return new Promise(resolve => {
      const admit = (reader?: ChildProcess) => {
        clearTimeout(timer)
        this.#waiting.delete(admit)
        resolve(reader)
      }
      const timer = setTimeout(admit, waitMs)
      this.#waiting.add(admit)
      this.#startWhereWanted()
    })
  }

  #sendAway(): void {
    for (const admit of this.#waiting) admit()
  }

  /** Gives a free reader to the next waiting page, or keeps it. An idle reader does not keep the process alive. */
  #offer(reader: ChildProcess): void {
    const [admit] = this.#waiting
    if (admit) admit(reader)
    else if (this.#all.has(reader)) {
      reader.unref()
      reader.channel?.unref()
      this.#idle.add(reader)
    }
  }

  #startWhereWanted(): void {
    if (this.#waiting.size > 0 && this.#all.size < this.#limits.atOnceMax) this.#start()
  }

  #start(): void {
    const reader = fork(this.#script, {
      ...OUTSIDE_GROUP,
      execArgv: [`--max-old-space-size=${HEAP_MAX_MB}`, `--max-semi-space-size=${YOUNG_MAX_MB}`],
      // The reader gets nothing of the service's environment: no secrets, no options.
      env: {},
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
    })
    this.#all.add(reader)
    const timer = setTimeout(() => reader.kill('SIGKILL'), this.#limits.startMs).unref()
    let isReady = false
    reader.once('message', () => {
      clearTimeout(timer)
      isReady = true
      yieldToTheService(reader.pid, NICENESS)
      this.#offer(reader)
    })
    const forget = () => {
      clearTimeout(timer)
      this.#all.delete(reader)
      this.#idle.delete(reader)
      // If this reader could not start, another would fail, too.
      if (isReady) this.#startWhereWanted()
      else this.#sendAway()
    }
    reader.once('exit', forget).on('error', forget)
  }
}

/** A reader's result for a page. @throws Error if it ends or takes too long */
function answerOf(reader: ChildProcess, page: UnreadPage, timeoutMs: number): Promise<Read | Reject | CannotTell> {
  const { promise, resolve, reject } = Promise.withResolvers<Read | Reject | CannotTell>()
  const timer = setTimeout(() => reject(new Error(`its reader did not answer within ${timeoutMs} ms`)), timeoutMs)
  const end = (code: number | null, signal: NodeJS.Signals | null) =>
    reject(new Error(`its reader ended with ${signal ?? `exit code ${code}`}`))
  reader.once('message', resolve).once('exit', end)
  reader.send(page, error => error && reject(error))
  return promise.finally(() => {
    clearTimeout(timer)
    reader.off('message', resolve).off('exit', end)
  })
}
