import { CAPABILITIES_PATH, Capabilities, QUOTE_PATH, Quote, type QuoteBody } from '@placard/contract'
import { whenToRepeat } from './advice.ts'
import { PlacardError } from './error.ts'
import { exchange, type Outgoing } from './exchange.ts'
import { defaultJournalPath } from './journal-path.ts'
import { type Publication, type PublishRequest, publish } from './publish.ts'
import { withRetries } from './retry.ts'
import { serviceAddress } from './service.ts'

/** Reading is cheap to repeat by hand, so it does not keep its caller waiting as long as a publish may. */
const READ_WAIT_BUDGET_MS = 10_000

/** How to reach a service. Only `service` must be given. */
export interface ClientOptions {
  /** Address of the service, such as `https://placard.example`. http:// only on loopback. */
  service: string
  /** File that keeps the credentials of each publish. Default: `defaultJournalPath()`. */
  journalPath?: string
  /** Longest wait for one answer. Default: 30,000. */
  requestTimeoutMs?: number
  /** No further try begins later than this after the first. Default: 120,000; reading stops at 10,000. */
  waitBudgetMs?: number
  /** Wait before the second try, where the service does not say; doubled each time. Default: 500. */
  firstBackoffMs?: number
  /** Hears of each failure that is followed by another try. */
  onRetry?: (error: PlacardError, waitMs: number) => void
}

/** Options of one call. */
export interface CallOptions {
  signal?: AbortSignal
}

/** What to price. `targetBid` is the wanted total on the board in whole US dollars. */
export type QuoteRequest = Omit<QuoteBody, 'category'> & { category: string }

/** A Placard service, as an agent uses it. Every method throws only `PlacardError`. */
export class PlacardClient {
  readonly #service: string
  readonly #options: ClientOptions

  constructor(options: ClientOptions) {
    this.#service = serviceAddress(options.service)
    this.#options = options
  }

  /** What the service offers now: categories, limits, and whether free submissions are open. */
  async capabilities(call: CallOptions = {}): Promise<Capabilities> {
    return (await this.#read(
      { method: 'GET', url: this.#service + CAPABILITIES_PATH },
      Capabilities,
      call,
    )) as Capabilities
  }

  /** The price of a place on a board. It charges and reserves nothing: a person confirms at `handoffUrl` in a browser. */
  async quote(request: QuoteRequest, call: CallOptions = {}): Promise<Quote> {
    const { destination, category, board, targetBid } = request
    const outgoing = {
      method: 'POST' as const,
      url: this.#service + QUOTE_PATH,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ destination, category, board, targetBid }),
    }
    return (await this.#read(outgoing, Quote, call)) as Quote
  }

  /**
   * Publishes a destination the customer has approved, or gives the receipt again where it is published already.
   *
   * Key, secret and body are on disk before they are sent, and every repeat sends the same, in this call and in any
   * later one with the same journal, until the service accepts or finally refuses. So after any failure, also a
   * crash, call it again with the same arguments.
   */
  async publish(request: PublishRequest, call: CallOptions = {}): Promise<Publication> {
    return publish(request, {
      service: this.#service,
      journalPath: this.#options.journalPath ?? defaultJournalPath(),
      requestTimeoutMs: this.#requestTimeoutMs,
      ...this.#retryOptions(call),
    })
  }

  async #read(
    outgoing: Omit<Outgoing, 'timeoutMs'>,
    schema: Parameters<typeof exchange>[1],
    call: CallOptions,
  ) {
    const options = this.#retryOptions(call)
    options.waitBudgetMs = Math.min(options.waitBudgetMs, READ_WAIT_BUDGET_MS)
    const full = { ...outgoing, timeoutMs: this.#requestTimeoutMs, signal: call.signal }
    try {
      return (await withRetries(() => exchange(full, schema), options)).body
    } catch (error) {
      if (!(error instanceof PlacardError) || error.kind === 'refused') throw error
      throw error.with({ advice: `Try again ${whenToRepeat(error)}.` })
    }
  }

  get #requestTimeoutMs(): number {
    return this.#options.requestTimeoutMs ?? 30_000
  }

  #retryOptions({ signal }: CallOptions) {
    const { waitBudgetMs = 120_000, firstBackoffMs = 500, onRetry } = this.#options
    return { waitBudgetMs, firstBackoffMs, onRetry, signal }
  }
}
