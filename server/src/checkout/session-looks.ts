import type { StripeAccount, StripeSession } from '../payments/stripe.ts'

/** How long an answer is cached, so that reloading a page does not call the processor. */
const BELIEVED_MS = 5000
/** How many answers to cache; the oldest is dropped first. */
const ANSWERS_MAX = 1000

type SessionCall = 'read' | 'close'

/** Asks Stripe about payment pages, at most every few seconds for each. Caches answers in memory. */
export class SessionLooks {
  readonly #stripe: StripeAccount
  readonly #clock: () => number
  readonly #answers = new Map<string, { at: number; answer: Promise<StripeSession> }>()

  constructor(stripe: StripeAccount, clock: () => number) {
    this.#stripe = stripe
    this.#clock = clock
  }

  /** Whether an answer is cached, so that `look` need not call the processor. */
  knows(sessionId: string, act: SessionCall): boolean {
    const known = this.#answers.get(keyOf(sessionId, act))
    const age = this.#clock() - (known?.at ?? Number.NEGATIVE_INFINITY)
    return age >= 0 && age < BELIEVED_MS
  }

  /**
   * Reads a payment page, or closes it first.
   *
   * @throws Problem payments_unavailable if Stripe gives no good answer
   */
  look(sessionId: string, act: SessionCall): Promise<StripeSession> {
    const key = keyOf(sessionId, act)
    const known = this.#answers.get(key)
    if (known && this.knows(sessionId, act)) return known.answer
    const answer = this.#ask(sessionId, act)
    this.#answers.delete(key)
    this.#answers.set(key, { at: this.#clock(), answer })
    const [oldest] = this.#answers.keys()
    if (this.#answers.size > ANSWERS_MAX && oldest !== undefined) this.#answers.delete(oldest)
    return answer
  }

  /** Discards the cached answer when the payer returns. */
  forget(sessionId: string): void {
    this.#answers.delete(keyOf(sessionId, 'read'))
  }

  async #ask(sessionId: string, act: SessionCall): Promise<StripeSession> {
    if (act === 'read') return this.#stripe.readSession(sessionId)
    const found = await this.#stripe.expireSession(sessionId)
    return { status: found === 'complete' ? 'complete' : 'expired', url: null }
  }
}

const keyOf = (sessionId: string, act: SessionCall) => `${act} ${sessionId}`
