import { CAPABILITIES_PATH, Capabilities, QUOTE_PATH, Quote, type QuoteBody } from '@placard/contract'
import type { TSchema } from 'typebox'
import { whenToRepeat } from './advice.ts'
import { checkBid, checkCategory, checkDestination, fieldsOf, optionalSignal } from './check.ts'
import { asPlacardError, type PlacardError } from './error.ts'
import { exchange, type Outgoing } from './exchange.ts'
import { defaultJournalPath } from './journal-path.ts'
import { type CallOptions, type CheckedOptions, type ClientOptions, checkOptions } from './options.ts'
import type { Publication, PublishRequest } from './publication.ts'
import { publish } from './publish.ts'
import { withRetries } from './retry.ts'
import { checkSpelling } from './spelling.ts'

/** Reads are easy to repeat, so they give up sooner than a publish. */
const READ_WAIT_BUDGET_MS = 10_000

/** What to price. `targetBid` is the wanted total on the board in whole US dollars. */
export type QuoteRequest = Omit<QuoteBody, 'category'> & { category: string }

/** A client for a Placard service. It throws only `PlacardError`, whatever goes wrong. */
export class PlacardClient {
  readonly #options: CheckedOptions

  constructor(options: ClientOptions) {
    try {
      this.#options = checkOptions(options)
    } catch (error) {
      throw asPlacardError(error, 'usage')
    }
  }

  /** What the service offers now: categories, limits, and whether free submissions are open. */
  async capabilities(call: CallOptions = {}): Promise<Capabilities> {
    const answer = await this.#read(call, Capabilities, () => ({ method: 'GET', path: CAPABILITIES_PATH }))
    return answer as Capabilities
  }

  /** The price of a place on a board. It charges and reserves nothing: a person confirms at `handoffUrl` in a browser. */
  async quote(request: QuoteRequest, call: CallOptions = {}): Promise<Quote> {
    const answer = await this.#read(call, Quote, () => ({
      method: 'POST',
      path: QUOTE_PATH,
      headers: { 'content-type': 'application/json' },
      body: this.#quoteBody(request),
    }))
    return answer as Quote
  }

  /**
   * Publishes a destination that the customer has approved, or returns its receipt again if it is already published.
   *
   * Key, secret and body are on disk before they are sent. Every repeat sends the same ones, in this call and any later
   * one with the same journal, until the service accepts or finally refuses. So after any failure, even a crash, call
   * it again with the same arguments.
   */
  async publish(request: PublishRequest, call: CallOptions = {}): Promise<Publication> {
    try {
      const journalPath = this.#options.journalPath ?? defaultJournalPath()
      return await publish(request, { ...this.#options, journalPath, signal: signalOf(call) })
    } catch (error) {
      throw asPlacardError(error, 'unknown')
    }
  }

  async #read(
    call: CallOptions,
    schema: TSchema,
    request: () => Pick<Outgoing, 'method' | 'headers' | 'body'> & { path: string },
  ): Promise<unknown> {
    try {
      const { service, requestTimeoutMs: timeoutMs, ...options } = this.#options
      const signal = signalOf(call)
      const { path, ...outgoing } = request()
      const full = { ...outgoing, url: service + path, timeoutMs, signal }
      const waitBudgetMs = Math.min(options.waitBudgetMs, READ_WAIT_BUDGET_MS)
      return (await withRetries(() => exchange(full, schema), { ...options, waitBudgetMs, signal })).body
    } catch (thrown) {
      throw withAdvice(asPlacardError(thrown, 'unknown'))
    }
  }

  #quoteBody(request: QuoteRequest): string {
    const { destination, category, board, targetBid } = fieldsOf('The request', request)
    checkDestination(destination)
    checkCategory(category)
    checkBid(board, targetBid)
    checkSpelling({ service: this.#options.service, destination, category })
    return JSON.stringify({ destination, category, board, targetBid })
  }
}

const signalOf = (call: CallOptions) => optionalSignal('signal', fieldsOf('The call options', call).signal)

function withAdvice(error: PlacardError): PlacardError {
  const temporary = error.kind === 'postponed' || error.kind === 'unknown'
  return temporary ? error.with({ advice: `Try again ${whenToRepeat(error)}.` }) : error
}
