import type { FastifyBaseLogger } from 'fastify'
import { type DeletingDependencies, deleteOld } from './delete-old.ts'

const RUN_EVERY_MS = 60 * 60 * 1000

type DeletingLog = Pick<FastifyBaseLogger, 'info'>

/** Deletes old rows once an hour from the service's start. Several instances may do so at once. */
export class Deleting {
  readonly #deps: DeletingDependencies & { log: DeletingLog }
  readonly #stop = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #run: Promise<void> | undefined
  /** Whether rows that should be gone may be left. */
  #isDue = true

  constructor(deps: DeletingDependencies & { log: DeletingLog }) {
    this.#deps = deps
  }

  /** Begins at once, so that a service restarted every few minutes still deletes. */
  start(): void {
    this.#timer = setInterval(() => void this.run(), RUN_EVERY_MS).unref()
    void this.run()
  }

  get isDue(): boolean {
    return this.#isDue
  }

  /** Ends after the current step, within milliseconds. Once this resolves, nothing touches the store. */
  async close(): Promise<void> {
    this.#stop.abort()
    clearInterval(this.#timer)
    await this.#run
  }

  /** Deletes all that is due, or joins the run in progress. Never throws: the next run deletes what is left. */
  run(): Promise<void> {
    this.#run ??= this.#deleteOld().finally(() => {
      this.#run = undefined
    })
    return this.#run
  }

  async #deleteOld(): Promise<void> {
    const { log } = this.#deps
    this.#isDue = true
    try {
      const rows = await deleteOld(this.#deps, this.#stop.signal)
      this.#isDue = false
      if (Object.keys(rows).length > 0) log.info({ rows }, 'deleted old rows')
    } catch (error) {
      log.info({ err: error }, 'could not delete old rows; will retry within the hour')
    }
  }
}
