/** Runs tasks one after another, in order of arrival. */
export class OneAtATime {
  #last: Promise<unknown> = Promise.resolve()

  do<Done>(work: () => Promise<Done>): Promise<Done> {
    const done = this.#last.then(work)
    this.#last = done.catch(() => {})
    return done
  }
}
