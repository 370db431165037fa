import type { PlacardClient } from '../client.ts'
import type { JsonSchema } from '../service/shape.ts'
import type { SubmissionStore } from '../submissions/store.ts'
import type { Answered, Questions } from './questions.ts'
import type { ClientCapabilities, InputRequiredResult } from './sdk.ts'

export interface Parts {
  /** The normalised address of the site. */
  service: string
  client: PlacardClient
  store: SubmissionStore
  /** Whether the person lets a model declare their approval. */
  trustsModel: boolean
  /** Returns a command of `placard-agent` as a person can type it in a terminal. */
  commandFor(...words: string[]): string
}

/** A request for approval at the site, which the customer answers in a browser. */
export interface AskedInBrowser {
  code: string
  approvalUrl: string
  /** Unix milliseconds. */
  expiresAt: number
}

export interface Call extends Parts {
  /** Not checked yet. */
  args: Readonly<Record<string, unknown>>
  signal: AbortSignal
  capabilities: ClientCapabilities
  /** The name of the program that the person uses. */
  program: string
  questions: Questions
  /** Requests for approval that this connection has made at the site, by what they are about. */
  askedInBrowser: Map<string, AskedInBrowser>
  /** The answer to an earlier question of the same call. */
  answered: Answered | undefined
}

/** A tool as models see it, and its action. */
export interface Tool {
  name: string
  title: string
  description: string
  /** All four, because their defaults assume the worst. */
  annotations: {
    readOnlyHint: boolean
    destructiveHint: boolean
    idempotentHint: boolean
    /** Whether it reaches anything beyond the site. */
    openWorldHint: boolean
  }
  inputSchema: JsonSchema & { properties: JsonSchema }
  outputSchema: JsonSchema
  /** Returns a value, or a question for the person. Throws `PlacardError`. */
  call(call: Call): Promise<object | InputRequiredResult>
}

export const READS = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
} as const

/** Returns the schema of arguments. All except the optional ones are required. */
export function argumentsOf(
  properties: Readonly<Record<string, JsonSchema>>,
  optional: readonly string[] = [],
): Tool['inputSchema'] {
  const required = Object.keys(properties).filter(name => !optional.includes(name))
  return { type: 'object', properties, required, additionalProperties: false }
}
