/** Runs work again and again, one run at a time. */
export class Repeated {
  readonly #work: () => Promise<void>
  readonly #failed: (error: unknown) => void
  #timer: NodeJS.Timeout | undefined
  #underWay: Promise<void> | undefined

  /** @param failed called if a run throws; the next one retries */
  constructor(work: () => Promise<void>, failed: (error: unknown) => void) {
    this.#work = work
    this.#failed = failed
  }

  start(everyMs: number): void {
    this.#timer = setInterval(() => void this.run(), everyMs).unref()
  }

  /** Starts a run, or joins the current one. Never throws. */
  run(): Promise<void> {
    this.#underWay ??= this.#work()
      .catch(this.#failed)
      .finally(() => {
        this.#underWay = undefined
      })
    return this.#underWay
  }

  /** When this resolves, no run is in progress, and none will begin. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#underWay
  }
}
