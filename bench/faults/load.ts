import { setTimeout as sleep } from 'node:timers/promises'
import { QUOTE_PATH } from '@placard/contract'
import { json } from '../requests.ts'
import type { History } from './history.ts'
import type { Money } from './money.ts'

const PUBLISHERS = 6
/** Of a website nobody pays for. */
const QUOTE = JSON.stringify({
  destination: 'https://unpaid.com/',
  category: 'Games',
  board: 'all',
  targetBid: 100,
})
const QUOTE_CENTS = 10_000

/** All kinds of requests without a pause. */
export class Load {
  quotes = 0
  readonly #wrongQuotes: string[] = []
  readonly #stop = new AbortController()
  readonly #urls: readonly string[]
  readonly #history: History
  readonly #all: Promise<unknown>

  constructor(urls: readonly string[], history: History, money?: Money) {
    this.#urls = urls
    this.#history = history
    const publishers = Array.from({ length: PUBLISHERS }, () => this.#goOn(() => this.#publish()))
    const paying = money
      ? [
          this.#goOn(() => money.deliverNext(this.#anyUrl())),
          this.#goOn(() => money.deliverNext(this.#anyUrl())),
        ]
      : []
    this.#all = Promise.all([...publishers, ...paying, this.#goOn(() => this.#quote())])
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#all
  }

  faults(): string[] {
    return this.#wrongQuotes
  }

  /** Repeats a request. After one that nobody answered, it waits, as nobody listens there now. */
  async #goOn(request: () => Promise<unknown>): Promise<void> {
    while (!this.#stop.signal.aborted) if ((await request()) === undefined) await sleep(50)
  }

  #anyUrl = (): string => this.#urls[Math.floor(Math.random() * this.#urls.length)] ?? ''

  /** New ones, the same to all instances at once, another key for a known host, or a repeat. */
  async #publish(): Promise<unknown> {
    const kind = Math.random()
    const { submissions } = this.#history
    const known = submissions[Math.floor(Math.random() * submissions.length)]
    if (kind < 0.5 || !known) return this.#history.send(this.#anyUrl(), this.#history.submission())
    if (kind < 0.8) return this.#history.send(this.#anyUrl(), known)
    const next = this.#history.submission(kind < 0.9 ? { host: known.host } : {})
    const answers = await Promise.all(this.#urls.map(url => this.#history.send(url, next)))
    return answers.find(answer => answer)
  }

  async #quote(): Promise<unknown> {
    try {
      const signal = AbortSignal.timeout(40_000)
      const response = await fetch(this.#anyUrl() + QUOTE_PATH, {
        method: 'POST',
        headers: json,
        body: QUOTE,
        signal,
      })
      const text = await response.text()
      const isRight = response.status === 200 && JSON.parse(text).chargeAmountCents === QUOTE_CENTS
      if (!isRight && response.status !== 503)
        this.#wrongQuotes.push(`a quote was answered ${response.status} ${text}`)
      this.quotes++
      return response.status
    } catch {
      return undefined
    }
  }
}
