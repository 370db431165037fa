import {
  APPROVAL_WAIT_MAX_SECONDS,
  APPROVALS_PATH,
  type Board,
  CAPABILITIES_PATH,
  CATEGORIES,
  CHECK_PATH,
  DRAWS_PATH,
  QUOTE_PATH,
} from '@placard/contract/plain'
import { checkBid, checkCategory, checkDestination, fieldsOf, optionalSignal, optionalText } from './check.ts'
import { asPlacardError, type PlacardError, usageError } from './error.ts'
import { type CallOptions, type CheckedOptions, type ClientOptions, checkOptions } from './options.ts'
import { fetchBody, type Outgoing } from './service/exchange.ts'
import {
  entryShape,
  type Listing,
  type ListingPage,
  type ListingsRequest,
  listingPageShape,
  listingPath,
  listingsPath,
  type SearchPage,
  type SearchRequest,
  searchPageShape,
  searchPath,
  type Tombstone,
} from './service/listings.ts'
import {
  type BoardPage,
  boardPageShape,
  type Capabilities,
  type Check,
  capabilitiesShape,
  checkShape,
  type Decision,
  type Draw,
  drawShape,
  type Quote,
  quoteShape,
} from './service/replies.ts'
import { bytes, type Shape, text } from './service/shape.ts'
import { inAddress } from './service/text.ts'
import { checkSpelling } from './spelling.ts'
import { refusalAdvice, whenToRepeat } from './submissions/advice.ts'
import { type AppealRequest, appeal } from './submissions/appeal.ts'
import { approvalShape, type BrowserApproval } from './submissions/browser-approval.ts'
import { readDecision } from './submissions/decisions.ts'
import type { DeliverOptions } from './submissions/deliver.ts'
import { readEvents, type SubmissionEvents } from './submissions/events.ts'
import { readProof } from './submissions/proof.ts'
import type { Publication } from './submissions/publication.ts'
import { type PublishRequest, publish } from './submissions/publish.ts'
import { list, type Resumed, resume, type SubmissionStatus, status } from './submissions/recover.ts'

/** Reads can be repeated at any time, so they give up sooner than a publish. */
const READ_WAIT_BUDGET_MS = 10_000
/** For reads that a verification makes many of: it must wait for the site's limit per minute. */
const PATIENT_WAIT_BUDGET_MS = 120_000

const BOARD_PAGE_ENTRIES = 100

/** What to check: what a publish would send, before the customer approves it. */
export interface CheckRequest {
  destination: string
  /** An English category ID from `capabilities`. */
  category: string
}

/** What to ask the customer for. `agent` is the name by which they know you. */
export interface ApprovalRequest extends CheckRequest {
  agent: string
}

/** The part of the time for one answer that a long wait leaves for the way there and back. */
const ANSWER_MARGIN_MS = 4000

/** What to price. `targetBid` is the wanted total on the board in whole US dollars. */
export interface QuoteRequest extends CheckRequest {
  board: Board
  targetBid: number
}

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

  /** Returns what the service offers now: categories, limits, and whether free submissions are open. */
  capabilities(call: CallOptions = {}): Promise<Capabilities> {
    return this.#read(call, capabilitiesShape, () => ({ method: 'GET', path: CAPABILITIES_PATH }))
  }

  /** Returns what a publish would answer. It publishes, reserves and uses up nothing, and needs no approval. */
  check(request: CheckRequest, call: CallOptions = {}): Promise<Check> {
    return this.#read(call, checkShape, () => {
      const { destination, category } = fieldsOf('The request', request)
      return post(CHECK_PATH, this.#checked({ destination, category }))
    })
  }

  /** Asks the customer for approval in a browser. Give them `approvalUrl`, and read the answer with `approval`. */
  askApproval(request: ApprovalRequest, call: CallOptions = {}): Promise<BrowserApproval> {
    return this.#read(call, approvalShape, () => {
      const { destination, category, agent } = fieldsOf('The request', request)
      return post(APPROVALS_PATH, { ...this.#checked({ destination, category }), agent: optionalText('agent', agent) })
    })
  }

  /** Waits for the customer's answer, at most 25 seconds. Then the status is still `waiting`. */
  approval(code: string, call: CallOptions = {}): Promise<BrowserApproval> {
    const longest = Math.floor((this.#options.requestTimeoutMs - ANSWER_MARGIN_MS) / 1000)
    const seconds = Math.max(0, Math.min(APPROVAL_WAIT_MAX_SECONDS, longest))
    const headers = { prefer: `wait=${seconds}` }
    return this.#read(call, approvalShape, () => {
      return { method: 'GET', path: `${APPROVALS_PATH}/${inAddress(code)}`, headers }
    })
  }

  /**
   * Returns the price of a place on a board. It charges and reserves nothing: a person confirms at `handoffUrl` in a
   * browser.
   */
  quote(request: QuoteRequest, call: CallOptions = {}): Promise<Quote> {
    return this.#read(call, quoteShape, () => {
      const { destination, category, board, targetBid } = fieldsOf('The request', request)
      checkBid(board, targetBid)
      return post(QUOTE_PATH, { ...this.#checked({ destination, category }), board, targetBid })
    })
  }

  /** Returns a page of the published listings, newest first, or of what changed since a time. */
  listings(request: ListingsRequest = {}, call: CallOptions = {}): Promise<ListingPage> {
    return this.#read(call, listingPageShape, () => ({ method: 'GET', path: listingsPath(request) }))
  }

  /** Returns a listing by the last part of its address, or its tombstone. */
  listing(slug: string, call: CallOptions = {}): Promise<Listing | Tombstone> {
    return this.#read(call, entryShape, () => ({ method: 'GET', path: listingPath(slug) }))
  }

  /** Returns a page of the published listings with some words. */
  search(request: SearchRequest, call: CallOptions = {}): Promise<SearchPage> {
    return this.#read(call, searchPageShape, () => ({ method: 'GET', path: searchPath(request) }))
  }

  /** Returns what was drawn by lot on a UTC day, such as `2026-11-22`. */
  draw(day: string, call: CallOptions = {}): Promise<Draw> {
    const path = `${DRAWS_PATH}/${inAddress(day)}`
    return this.#read(call, drawShape, () => ({ method: 'GET', path }), PATIENT_WAIT_BUDGET_MS)
  }

  /**
   * Returns a page of a board of paid places: `all`, `today`, a past UTC day such as `2026-11-22`, or a category such
   * as `Games`.
   *
   * @param cursor `nextCursor` of the page before
   */
  boardPage(board: string, cursor?: string, call: CallOptions = {}): Promise<BoardPage> {
    const folder = CATEGORIES.some(category => category === board) ? 'categories/' : 'days/'
    const name = board === 'all' || board === 'today' ? board : folder + inAddress(board)
    const after = cursor === undefined ? '' : `&cursor=${inAddress(cursor)}`
    const path = `/api/v1/boards/${name}?limit=${BOARD_PAGE_ENTRIES}${after}`
    return this.#read(call, boardPageShape, () => ({ method: 'GET', path }), PATIENT_WAIT_BUDGET_MS)
  }

  /** Returns a file of the service's log, such as `checkpoint`. */
  logFile(path: string, call: CallOptions = {}): Promise<Uint8Array> {
    const request = (): Outgoing => ({ method: 'GET', path: `/log/${path}`, as: 'bytes' })
    return this.#read(call, bytes, request, PATIENT_WAIT_BUDGET_MS)
  }

  /** Returns the slugs on a page of the candidates of a draw, as text: a line feed follows each. */
  drawCandidates(day: string, page: number, call: CallOptions = {}): Promise<string> {
    const path = `/draw/${inAddress(day)}/candidates/${page}.txt`
    return this.#read(call, text, () => ({ method: 'GET', path, as: 'text' }))
  }

  /**
   * Publishes a destination that the customer has approved, or returns its receipt again if it is already published.
   *
   * Key, secret and body are saved in the store before they are sent. After any failure, even a crash, call it again
   * with the same arguments, or call `resume()`. Every repeat with the same store sends the same ones, until the
   * service accepts or finally refuses.
   */
  publish(request: PublishRequest, call: CallOptions = {}): Promise<Publication> {
    return this.#act(call, options => publish(request, options))
  }

  /**
   * Returns a submission in the store and its listing now. If it was accepted, or its answer was lost, it is sent again
   * unchanged, because no other request returns its state. The destination can have any spelling or be a host name. It
   * can be left out if there is only one.
   */
  status(destination?: string, call: CallOptions = {}): Promise<SubmissionStatus> {
    return this.#act(call, options => status(optionalText('The destination', destination), options))
  }

  /** Returns every submission in the store for this service, in its last known state. Sends nothing. */
  list(): Promise<SubmissionStatus[]> {
    return this.#act({}, list)
  }

  /** Sends every unfinished submission in the store again, one after another, and returns the result of each. */
  resume(call: CallOptions = {}): Promise<Resumed[]> {
    return this.#act(call, resume)
  }

  /**
   * Returns a recorded decision and the reasons for it. Name it by its id, or by its website. Without either, it is
   * about the only refused submission, or about the only one. Changes nothing at the service.
   */
  decision(which?: string, call: CallOptions = {}): Promise<Decision> {
    return this.#act(call, async options => {
      return (await readDecision(optionalText('The decision', which), this.#brief(options))).decision
    })
  }

  /**
   * Returns what happened to a submission in the store since `cursor`, oldest first, and its state now. Sends nothing
   * again, and changes nothing.
   */
  events(destination?: string, call: CallOptions & { cursor?: string } = {}): Promise<SubmissionEvents> {
    return this.#act(call, options =>
      readEvents(
        optionalText('The destination', destination),
        optionalText('The cursor', call.cursor),
        this.#brief(options),
      ),
    )
  }

  /**
   * Returns the proof that a submission in the store was accepted, as the text of a C2SP `tlog-proof`. Store it: it can be
   * checked offline, years later. Changes nothing at the service.
   */
  proof(destination?: string, call: CallOptions = {}): Promise<string> {
    return this.#act(call, options => readProof(optionalText('The destination', destination), this.#brief(options)))
  }

  /**
   * Appeals a decision in the customer's name, once, with a statement that they have approved. Returns the decision
   * with the appeal. After any failure, call it again with the same arguments: the statement is saved in the store
   * before it is sent, and sending it again changes nothing.
   */
  appeal(request: AppealRequest, call: CallOptions = {}): Promise<Decision> {
    return this.#act(call, options => appeal(request, options))
  }

  /** Returns the options with the shorter time limit of reads. */
  #brief<T extends { waitBudgetMs: number }>(options: T, mostMs = READ_WAIT_BUDGET_MS): T {
    return { ...options, waitBudgetMs: Math.min(options.waitBudgetMs, mostMs) }
  }

  async #act<T>(call: CallOptions, act: (options: DeliverOptions) => Promise<T>): Promise<T> {
    try {
      const { store } = this.#options
      if (!store) throw storeNeeded()
      return await act({ ...this.#options, store, signal: signalOf(call) })
    } catch (error) {
      throw asPlacardError(error, 'unknown')
    }
  }

  async #read<T>(call: CallOptions, shape: Shape<T>, outgoing: () => Outgoing, waitMs?: number): Promise<T> {
    try {
      const options = { ...this.#options, signal: signalOf(call) }
      return await fetchBody(outgoing(), shape, this.#brief(options, waitMs))
    } catch (thrown) {
      throw withAdvice(asPlacardError(thrown, 'unknown'))
    }
  }

  #checked({ destination, category }: { destination: unknown; category: unknown }): CheckRequest {
    checkDestination(destination)
    checkCategory(category)
    checkSpelling({ service: this.#options.service, destination, category })
    return { destination, category }
  }
}

const post = (path: string, body: object): Outgoing => ({ method: 'POST', path, body: JSON.stringify(body) })

const signalOf = (call: CallOptions) => optionalSignal('signal', fieldsOf('The call options', call).signal)

function withAdvice(error: PlacardError): PlacardError {
  const temporary = error.kind === 'postponed' || error.kind === 'unknown'
  const again = temporary && error.status !== undefined ? `Try again ${whenToRepeat(error)}.` : undefined
  const whatNext = again ?? refusalAdvice(error)
  return whatNext ? error.with({ whatNext }) : error
}

const storeNeeded = () =>
  usageError(
    'store_needed',
    'This client has no store, so the credentials of this submission would be lost.',
    'Nothing was sent. Give the client a store: fileStore() of placard-agent/file-store, or one of your own.',
    'store',
  )
