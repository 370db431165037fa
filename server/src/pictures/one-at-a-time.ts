/** Does one thing after the other, in the order in which they come. */
export class OneAtATime {
  #last: Promise<unknown> = Promise.resolve()

  do<Done>(work: () => Promise<Done>): Promise<Done> {
    const done = this.#last.then(work)
    this.#last = done.catch(() => {})
    return done
  }
}
