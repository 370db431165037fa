import { type ChildProcess, fork } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { answerOf, OUTSIDE_GROUP, yieldToTheService } from '../../../platform/lib/child-process.ts'
import type { Use } from '../../../platform/lib/diagnostics.ts'
import { scriptFile } from '../../../platform/lib/package.ts'
import { createSlots, type Slots } from '../../../platform/lib/slots.ts'
import { within } from '../../../platform/lib/time.ts'
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
  /** How long a reader may take for a page. The slowest page of 1 MiB takes 250 ms. */
  readMs: number
  /** How long a new reader may take to start. On a busy machine, that takes seconds. */
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
/** The name of a reader in error messages. */
const NAME = 'its reader'

/** A process that reads one page at a time. */
interface Reader {
  child: ChildProcess
  /** Whether it could start, once that is known. */
  ready: Promise<boolean>
  /** Resolves once it has ended. */
  gone: Promise<void>
}

/**
 * Parses pages in a few separate processes, so that no page can stop the service. A reader starts when first needed,
 * and stays. If one fails or takes too long, it is killed, and the next page gets a new one.
 */
export class PageReaders {
  readonly #limits: ReaderLimits
  readonly #turns: Slots
  #isClosed = false
  readonly #script: string
  readonly #all = new Set<Reader>()
  readonly #free = new Set<Reader>()

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
    const release = await this.#turns.acquire({ networks })
    if (!release) return cannotTell('no reader was free', 'busy')
    let reader: Reader | undefined
    try {
      if (this.#isClosed) return cannotTell('the readers are closed', 'busy')
      reader = this.#take()
      if (!(await within(giveUpAt - performance.now(), reader.ready, () => false)))
        return cannotTell('no reader was free', 'busy')
      reader.child.send(page)
      return await answerOf<Read | Reject | CannotTell>(reader.child, NAME, this.#limits.readMs)
    } catch (error) {
      reader?.child.kill('SIGKILL')
      return cannotTell(`the page cannot be read: ${(error as Error).message}`)
    } finally {
      // A killed reader keeps its turn until it has ended, so that there are never more than `atOnceMax`.
      if (reader && (reader.child.killed || !this.#all.has(reader))) void reader.gone.then(release)
      else {
        if (reader) this.#free.add(reader)
        release()
      }
    }
  }

  /** Ends all readers. Pages they are reading get "cannot tell". */
  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all(
      [...this.#all].map(({ child, gone }) => {
        child.ref()
        child.kill('SIGKILL')
        return gone
      }),
    )
  }

  /** Returns the number of busy readers and of waiting pages. */
  use(): Use {
    return { ...this.#turns.use(), idle: this.#free.size }
  }

  #take(): Reader {
    const [reader = this.#start()] = this.#free
    this.#free.delete(reader)
    return reader
  }

  /** Starts a reader. Only waiting for its answer keeps the service alive. */
  #start(): Reader {
    const child = fork(this.#script, {
      ...OUTSIDE_GROUP,
      execArgv: [`--max-old-space-size=${HEAP_MAX_MB}`, `--max-semi-space-size=${YOUNG_MAX_MB}`],
      // The reader gets nothing of the service's environment: no secrets, no options.
      env: {},
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
    })
    child.unref()
    child.channel?.unref()
    const { promise: gone, resolve } = Promise.withResolvers<void>()
    const forget = () => {
      this.#all.delete(reader)
      this.#free.delete(reader)
      resolve()
    }
    // Attached first, so that a reader is removed before its answer fails.
    child.once('exit', forget).on('error', forget)
    const ready = answerOf(child, NAME, this.#limits.startMs).then(
      () => {
        yieldToTheService(child.pid, NICENESS)
        return true
      },
      () => {
        child.kill('SIGKILL')
        return false
      },
    )
    const reader = { child, ready, gone }
    this.#all.add(reader)
    return reader
  }
}
