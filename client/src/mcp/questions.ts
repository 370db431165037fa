import { type InputRequiredResult, inputRequired, inputResponse, type ServerContext } from './sdk.ts'

type Request = NonNullable<Parameters<typeof inputRequired>[0]['inputRequests']>[string]

/** The answer to a question, and what it was about. */
export interface Answered {
  about: unknown
  /** What the person filled in, if they agreed. */
  accepted: Record<string, unknown> | undefined
}

const KEY = 'answer'

/** The maximum number of open questions. A program that asks more loses the oldest ones. */
const OPEN_MAX = 100

/**
 * The open questions to the person. The answer comes with the same call made again, and names its question by an id
 * that only this process knows, once. So a yes counts only for what was shown.
 */
export class Questions {
  readonly #open = new Map<string, unknown>()

  /** Returns the question as a result. `about` is returned with its answer. */
  ask(request: Request, about: unknown): InputRequiredResult {
    const id = crypto.randomUUID()
    this.#open.set(id, about)
    const [oldest] = this.#open.keys()
    if (this.#open.size > OPEN_MAX && oldest !== undefined) this.#open.delete(oldest)
    return inputRequired({ inputRequests: { [KEY]: request }, requestState: id })
  }

  /** Returns the answer in this request, if it answers an open question. */
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
