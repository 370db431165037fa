import type { FastifyBaseLogger } from 'fastify'
import { type DeletingDependencies, deleteOld } from './delete-old.ts'

const RUN_EVERY_MS = 60 * 60 * 1000

type DeletingLog = Pick<FastifyBaseLogger, 'info'>

/** Deletes what is kept no longer once an hour, from the start of the service on. Several instances may do so at once. */
export class Deleting {
  readonly #deps: DeletingDependencies & { log: DeletingLog }
  readonly #stop = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #run: Promise<void> | undefined

  constructor(deps: DeletingDependencies & { log: DeletingLog }) {
    this.#deps = deps
  }

  /** Begins at once: a service that is started anew every few minutes deletes, too. */
  start(): void {
    this.#timer = setInterval(() => void this.run(), RUN_EVERY_MS).unref()
    void this.run()
  }

  /** Ends after the step that is under way, within milliseconds. Nothing touches the store once this resolves. */
  async close(): Promise<void> {
    this.#stop.abort()
    clearInterval(this.#timer)
    await this.#run
  }

  /** Deletes all that is due, or joins the run that is under way. Never throws: what is left is deleted by the next run. */
  run(): Promise<void> {
    this.#run ??= this.#deleteOld().finally(() => {
      this.#run = undefined
    })
    return this.#run
  }

  async #deleteOld(): Promise<void> {
    const { log } = this.#deps
    try {
      const rows = await deleteOld(this.#deps, this.#stop.signal)
      if (Object.keys(rows).length > 0) log.info({ rows }, 'deleted old rows')
    } catch (error) {
      log.info({ err: error }, 'could not delete old rows; will retry within the hour')
    }
  }
}
