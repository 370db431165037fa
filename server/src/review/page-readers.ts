import { type ChildProcess, fork } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { scriptBeside, yieldToTheService } from '../apart.ts'
import { type CannotTell, cannotTell, type Reject } from '../destinations/verdict.ts'
import type { Fetched } from '../reading/page.ts'

/** A page as it came, to be read in another process. */
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
  /** Pages that may wait for a reader, and how long: also for one that is being started. */
  waitersMax: number
  waitMs: number
  /** From the moment a reader has the page. The dearest one of 1 MiB takes a quarter of a second. */
  readMs: number
  /** Until a new reader is ready; a busy machine takes seconds. */
  startMs: number
}

const DEFAULT_LIMITS: ReaderLimits = {
  // One processor stays with the service.
  atOnceMax: Math.min(4, Math.max(1, availableParallelism() - 1)),
  waitersMax: 16,
  waitMs: 8_000,
  readMs: 4_000,
  startMs: 30_000,
}

/** Many times what the dearest page takes. */
const HEAP_MAX_MB = 128
const NICENESS = 10

/**
 * Reads pages in a few processes of their own: whatever a page does to its reader, the service goes on. A reader is
 * started when it is first needed, and kept; one that fails or takes too long is killed, and the next page gets a new one.
 */
export class PageReaders {
  readonly #limits: ReaderLimits
  readonly #script: string
  readonly #all = new Set<ChildProcess>()
  readonly #idle = new Set<ChildProcess>()
  readonly #waiting = new Set<(reader?: ChildProcess) => void>()

  /** @param options smaller limits and another script, for tests */
  constructor(options: { limits?: Partial<ReaderLimits>; script?: string } = {}) {
    this.#limits = { ...DEFAULT_LIMITS, ...options.limits }
    this.#script = options.script ?? scriptBeside(import.meta.url, 'read-process')
  }

  /** What a page says, and what the page rules say to that. Never throws: a failure is "cannot tell". */
  async read(page: UnreadPage): Promise<Fetched | Reject | CannotTell> {
    const reader = this.#takeIdle() ?? (await this.#waitForOne())
    if (reader === undefined) return cannotTell('no reader was free')
    try {
      const read = await answerOf(reader, page, this.#limits.readMs)
      this.#offer(reader)
      return read
    } catch (error) {
      reader.kill('SIGKILL')
      return cannotTell(`the page cannot be read: ${(error as Error).message}`)
    }
  }

  /** Ends all readers; whatever they are reading cannot be told. */
  async close(): Promise<void> {
    this.#sendAway()
    await Promise.all(
      [...this.#all].map(reader => {
        reader.ref()
        reader.kill('SIGKILL')
        return new Promise(resolve => reader.once('exit', resolve))
      }),
    )
  }

  #takeIdle(): ChildProcess | undefined {
    const [reader] = this.#idle
    if (reader === undefined) return undefined
    this.#idle.delete(reader)
    reader.ref()
    reader.channel?.ref()
    return reader
  }

  #waitForOne(): Promise<ChildProcess | undefined> {
    if (this.#waiting.size >= this.#limits.waitersMax) return Promise.resolve(undefined)
    return new Promise(resolve => {
      const admit = (reader?: ChildProcess) => {
        clearTimeout(timer)
        this.#waiting.delete(admit)
        resolve(reader)
      }
      const timer = setTimeout(admit, this.#limits.waitMs)
      this.#waiting.add(admit)
      this.#startWhereWanted()
    })
  }

  #sendAway(): void {
    for (const admit of this.#waiting) admit()
  }

  /** Gives a reader that is free to whoever waits, else keeps it; no process stays for the sake of idle readers. */
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
      execArgv: [`--max-old-space-size=${HEAP_MAX_MB}`],
      // Nothing of the service's own: no secrets, no options.
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
      // Where one cannot start, another would not either.
      if (isReady) this.#startWhereWanted()
      else this.#sendAway()
    }
    reader.once('exit', forget).on('error', forget)
  }
}

/** What a reader makes of a page. @throws Error when it ends or takes longer */
function answerOf(
  reader: ChildProcess,
  page: UnreadPage,
  timeoutMs: number,
): Promise<Fetched | Reject | CannotTell> {
  const { promise, resolve, reject } = Promise.withResolvers<Fetched | Reject | CannotTell>()
  const timer = setTimeout(
    () => reject(new Error(`its reader did not answer within ${timeoutMs} ms`)),
    timeoutMs,
  )
  const end = (code: number | null, signal: NodeJS.Signals | null) =>
    reject(new Error(`its reader ended with ${signal ?? `exit code ${code}`}`))
  reader.once('message', resolve).once('exit', end)
  reader.send(page, error => error && reject(error))
  return promise.finally(() => {
    clearTimeout(timer)
    reader.off('message', resolve).off('exit', end)
  })
}
