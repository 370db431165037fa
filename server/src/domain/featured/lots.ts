import { hash } from 'node:crypto'
import { DRAW_SIZE } from '@placard/contract'

/** The version of these rules. A change of the rules needs a new version, because old draws must stay verifiable. */
export const ALGORITHM = 1

/** A listing that takes part in a draw. */
export interface Candidate {
  id: number
  slug: string
}

/** Returns the lot of a listing: the lowest ones of a day win (`docs/decisions/daily-draw.md`). */
export const lotOf = (seed: string, slug: string): string => hash('sha256', `${seed}\0${slug}`)

/** Draws from a stream of candidates, of which it keeps only those that would win. */
export class Lots<C extends Candidate> {
  readonly #seed: string
  #winning: { candidate: C; lot: string }[] = []

  constructor(seed: string) {
    this.#seed = seed
  }

  add(candidate: C): void {
    const lot = lotOf(this.#seed, candidate.slug)
    const last = this.#winning[DRAW_SIZE - 1]
    if (last && lot > last.lot) return
    this.#winning = [...this.#winning, { candidate, lot }]
      .sort((one, other) => (one.lot < other.lot ? -1 : 1))
      .slice(0, DRAW_SIZE)
  }

  /** Returns the winners, the first one first. */
  drawn(): C[] {
    return this.#winning.map(({ candidate }) => candidate)
  }
}
