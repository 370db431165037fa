import { type ChildProcess, fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { scriptBeside, yieldToTheService } from '../apart.ts'
import { type CannotTell, cannotTell, type Reject } from '../review/verdict.ts'
import { createSlots, type SlotLimits } from './fetch-slots.ts'
import type { Fetched } from './page.ts'

/** A page as it came, to be read in another process. */
export interface UnreadPage {
  body: Uint8Array
  /** Final address after redirects. */
  url: string
  /** Response headers of the final hop, names in lower case. */
  headers: Readonly<Record<string, string>>
}

export interface ReaderLimits extends SlotLimits {
  /** From the moment a reader is asked. The dearest page of 1 MiB takes a quarter of a second. */
  readMs: number
  /** Until a new reader can be asked. */
  startMs: number
}

const DEFAULT_LIMITS: ReaderLimits = {
  atOnceMax: 2,
  waitersMax: 16,
  waitMs: 3_000,
  readMs: 3_000,
  startMs: 5_000,
}

/** Many times what the dearest page takes. */
const HEAP_MAX_MB = 128
/** A page waits for the service's own work, but not for ever. */
const NICENESS = 5

/**
 * Reads pages in a few processes of their own: whatever a page does to its reader, the service goes on. A reader is
 * started when it is first needed, and kept; one that fails or takes too long is killed, and the next page gets a new one.
 */
export class PageReaders {
  readonly #limits: ReaderLimits
  readonly #script: string
  readonly #slots
  readonly #all = new Set<ChildProcess>()
  readonly #idle = new Set<ChildProcess>()

  /** @param options smaller limits and another script, for tests */
  constructor(options: { limits?: Partial<ReaderLimits>; script?: string } = {}) {
    this.#limits = { ...DEFAULT_LIMITS, ...options.limits }
    this.#script = options.script ?? scriptBeside(import.meta.url, 'read-process')
    this.#slots = createSlots(this.#limits)
  }

  /** What a page says, and what the page rules say to that. Never throws: a failure is "cannot tell". */
  async read(page: UnreadPage): Promise<Fetched | Reject | CannotTell> {
    const leave = await this.#slots.enter(randomUUID())
    if (leave === undefined) return cannotTell('too many pages are waiting to be read')
    let reader: ChildProcess | undefined
    try {
      reader = this.#takeIdle() ?? (await this.#start())
      const read = await answerOf<Fetched | Reject | CannotTell>(reader, this.#limits.readMs, page)
      this.#putBack(reader)
      return read
    } catch (error) {
      reader?.kill('SIGKILL')
      return cannotTell(`the page cannot be read: ${(error as Error).message}`)
    } finally {
      leave()
    }
  }

  /** Ends all readers; whatever is being read cannot be told. */
  async close(): Promise<void> {
    await Promise.all(
      [...this.#all].map(reader => {
        reader.ref()
        reader.kill('SIGKILL')
        return new Promise(resolve => reader.once('exit', resolve))
      }),
    )
  }

  async #start(): Promise<ChildProcess> {
    const reader = fork(this.#script, {
      execArgv: [`--max-old-space-size=${HEAP_MAX_MB}`],
      // Nothing of the service's own: no secrets, no options.
      env: {},
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
    })
    yieldToTheService(reader.pid, NICENESS)
    this.#all.add(reader)
    // A process that cannot be started, or reached, has no other way to say so.
    reader.on('error', () => {})
    const forget = () => {
      this.#all.delete(reader)
      this.#idle.delete(reader)
    }
    reader.once('exit', forget).once('error', forget)
    try {
      await answerOf(reader, this.#limits.startMs)
      return reader
    } catch (error) {
      reader.kill('SIGKILL')
      throw error
    }
  }

  #takeIdle(): ChildProcess | undefined {
    const [reader] = this.#idle
    if (reader === undefined) return undefined
    this.#idle.delete(reader)
    reader.ref()
    reader.channel?.ref()
    return reader
  }

  /** No process stays for the sake of its idle readers. */
  #putBack(reader: ChildProcess): void {
    reader.unref()
    reader.channel?.unref()
    if (this.#all.has(reader)) this.#idle.add(reader)
  }
}

/** The next message of a process, to a question if there is one. @throws Error when it ends or takes longer */
function answerOf<Answer>(child: ChildProcess, timeoutMs: number, question?: UnreadPage): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const timer = setTimeout(() => reject(new Error(`no answer of its reader in ${timeoutMs} ms`)), timeoutMs)
  const end = (code: number | null, signal: NodeJS.Signals | null) =>
    reject(new Error(`its reader ended with ${signal ?? `exit code ${code}`}`))
  child.once('message', resolve).once('exit', end).once('error', reject)
  if (question) child.send(question, error => error && reject(error))
  return promise.finally(() => {
    clearTimeout(timer)
    child.off('message', resolve).off('exit', end).off('error', reject)
  })
}
