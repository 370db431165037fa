import { type InputRequiredResult, inputRequired, inputResponse, type ServerContext } from './sdk.ts'

type Request = NonNullable<Parameters<typeof inputRequired>[0]['inputRequests']>[string]

/** What came of a question, and what it was about. */
export interface Answered {
  about: unknown
  /** What the person filled in, if they agreed. */
  accepted: Record<string, unknown> | undefined
}

const KEY = 'answer'

/** The most that wait at once. A program that asks for more has lost the older ones. */
const OPEN_MAX = 100

/**
 * The questions to the person that wait for an answer. The answer comes with the same call made again, and names its
 * question by an id that only this process knows, once: so no yes counts for anything but what was shown.
 */
export class Questions {
  readonly #open = new Map<string, unknown>()

  /** The question as a result. `about` is given back with its answer. */
  ask(request: Request, about: unknown): InputRequiredResult {
    const id = crypto.randomUUID()
    this.#open.set(id, about)
    const [oldest] = this.#open.keys()
    if (this.#open.size > OPEN_MAX && oldest !== undefined) this.#open.delete(oldest)
    return inputRequired({ inputRequests: { [KEY]: request }, requestState: id })
  }

  /** The answer that this request brings, if it brings one to an open question. */
  take({ mcpReq }: ServerContext): Answered | undefined {
    const id = mcpReq.requestState<unknown>()
    if (typeof id !== 'string' || !this.#open.has(id)) return undefined
    const about = this.#open.get(id)
    this.#open.delete(id)
    const answer = inputResponse(mcpReq.inputResponses, KEY)
    const isYes = answer.kind === 'elicit' && answer.action === 'accept'
    return { about, accepted: isYes ? (answer.content ?? {}) : undefined }
  }
}
