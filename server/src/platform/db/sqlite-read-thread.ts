import { Worker } from 'node:worker_threads'
import { scriptFile } from '../lib/package.ts'
import { createSlots, type Slots } from '../lib/slots.ts'
import type { OpenFiles } from './sqlite-files.ts'
import type { ReadFor, ReadLine, ReadTask } from './store.ts'

/** As long as PostgreSQL lets a statement run. Most reads take a few milliseconds. */
const READ_MAX_MS = 10_000

/**
 * How many reads of each queue the thread has at once: enough that it never idles, and few, so that each queue gets its
 * turn soon. The others wait here, where networks take turns.
 */
const AT_ONCE: Record<ReadLine, number> = { search: 4, other: 2 }

/** In each queue. With more, the last would take too long. */
const WAITING_MAX = 200

/** Many times what a read needs. */
const HEAP_MAX_MB = 64
/** What a search makes and drops. With less, a tenth of its time would go to collecting it. */
const YOUNG_MAX_MB = 32

/** A long read was not possible now. */
export class ReaderFailed extends Error {
  override name = 'ReaderFailed'
}

interface Read {
  resolve(result: unknown): void
  reject(error: Error): void
  timer: NodeJS.Timeout
}

/**
 * Runs long reads on a thread. Searches and other reads have separate queues, and in each the networks of clients take
 * turns, so that none can block the others. The thread starts when first needed, and stays; one that ends is replaced.
 *
 * If a read takes too long, its thread is abandoned with all its reads. SQLite cannot be interrupted within a
 * statement, so such a thread ends with its statement, and no other starts before. So these reads use at most one
 * processor.
 */
export class ReaderThread {
  readonly #path: string
  readonly #files: OpenFiles
  readonly #readMaxMs: number
  readonly #script: string
  readonly #reads = new Map<number, Read>()
  readonly #lines: Record<ReadLine, Slots>
  #isClosed = false
  #lastId = 0
  #worker: Worker | undefined
  #ending: Promise<unknown> | undefined

  /**
   * @param path of the open database
   * @param files checked before each read, and when a thread has opened them
   */
  constructor(
    path: string,
    files: OpenFiles,
    { readMaxMs = READ_MAX_MS, script = scriptFile('ops/processes/long-reads') } = {},
  ) {
    this.#path = path
    this.#files = files
    this.#readMaxMs = readMaxMs
    this.#script = script
    const lineOf = (line: ReadLine) =>
      createSlots({ atOnceMax: AT_ONCE[line], waitersMax: WAITING_MAX, waitMs: readMaxMs })
    this.#lines = { search: lineOf('search'), other: lineOf('other') }
  }

  /** @throws ReaderFailed; DatabaseFileLost; what the read throws, with its name and code but not its class */
  async read(task: ReadTask, { line, networks }: ReadFor = { line: 'other' }): Promise<unknown> {
    const release = await this.#lines[line].acquire({ networks })
    if (!release) throw new ReaderFailed('too many long reads are waiting')
    try {
      return await this.#readNow(task)
    } finally {
      release()
    }
  }

  async #readNow(task: ReadTask): Promise<unknown> {
    this.#files.checkNowAndThen()
    if (this.#isClosed) throw new ReaderFailed('the store is closing')
    if (this.#ending) throw new ReaderFailed('the thread for long reads is ending')
    this.#worker ??= this.#start()
    const worker = this.#worker
    const id = ++this.#lastId
    return new Promise((resolve, reject) => {
      const giveUp = () => this.#end(new ReaderFailed(`a long read took over ${this.#readMaxMs} ms`))
      this.#reads.set(id, { resolve, reject, timer: setTimeout(giveUp, this.#readMaxMs) })
      worker.ref()
      worker.postMessage({ id, ...task })
    })
  }

  /** Ends the thread, whose connection must not be the last to close. Reads in progress fail. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#end(new ReaderFailed('the store is closing'))
    await this.#ending
  }

  #start(): Worker {
    const worker = new Worker(this.#script, {
      workerData: this.#path,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MAX_MB, maxYoungGenerationSizeMb: YOUNG_MAX_MB },
    })
    const lose = (cause?: Error) => {
      if (this.#worker === worker) this.#fail(new ReaderFailed('the thread for long reads ended', { cause }))
    }
    return worker
      .on('message', (message: ThreadMessage) => this.#worker === worker && this.#onMessage(message))
      .on('error', lose)
      .on('exit', () => lose())
  }

  #onMessage(message: ThreadMessage): void {
    if (message === 'open') this.#checkFiles()
    else this.#settle(message)
  }

  #settle(message: ReadSettled): void {
    const read = this.#reads.get(message.id)
    if (!read) return
    this.#reads.delete(message.id)
    // An idle thread does not keep the process alive.
    if (this.#reads.size === 0) this.#worker?.unref()
    clearTimeout(read.timer)
    if ('error' in message) read.reject(Object.assign(new Error(), message.error))
    else read.resolve(message.result)
  }

  /** The thread must have opened the same files that are written. */
  #checkFiles(): void {
    try {
      this.#files.check()
    } catch (error) {
      this.#end(error as Error)
    }
  }

  #end(error: Error): void {
    const worker = this.#worker
    this.#fail(error)
    if (!worker) return
    this.#ending = worker.terminate().finally(() => {
      this.#ending = undefined
    })
  }

  #fail(error: Error): void {
    this.#worker = undefined
    for (const { reject, timer } of this.#reads.values()) {
      clearTimeout(timer)
      reject(error)
    }
    this.#reads.clear()
  }
}

/** A message of the thread: first that it has opened the database, then the result of each read. */
export type ThreadMessage = 'open' | ReadSettled
type ReadSettled = { id: number; result: unknown } | { id: number; error: PlainError }

/** An error as a plain object: between threads, it would lose its class and code. */
export interface PlainError {
  name: string
  message: string
  stack: string | undefined
  code: string | undefined
}
