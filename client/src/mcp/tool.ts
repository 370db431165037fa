import type { PlacardClient } from '../client.ts'
import type { JsonSchema } from '../service/shape.ts'
import type { SubmissionStore } from '../submissions/store.ts'
import type { Answered, Questions } from './questions.ts'
import type { ClientCapabilities, InputRequiredResult } from './sdk.ts'

/** What the tools of one program work with. */
export interface Parts {
  /** The normalised address of the board. */
  service: string
  client: PlacardClient
  store: SubmissionStore
  /** Whether the person lets a model say that they agreed. */
  trustsModel: boolean
  /** A command of `placard-agent` as a person can type it in a terminal. */
  commandFor(...words: string[]): string
}

/** One call of a tool. */
export interface Call extends Parts {
  /** Not checked yet. */
  args: Readonly<Record<string, unknown>>
  signal: AbortSignal
  /** What the program at the other end can do. */
  capabilities: ClientCapabilities
  questions: Questions
  /** The answer to a question of the same call, made before. */
  answered: Answered | undefined
}

/** A tool as models see it, and what it does. */
export interface Tool {
  name: string
  title: string
  description: string
  /** All four, since their defaults assume the worst. */
  annotations: {
    readOnlyHint: boolean
    destructiveHint: boolean
    idempotentHint: boolean
    /** Whether it reaches anything beyond the board. */
    openWorldHint: boolean
  }
  inputSchema: JsonSchema & { properties: JsonSchema }
  outputSchema: JsonSchema
  /** Gives a value, or a question for the person. Throws `PlacardError`. */
  call(call: Call): Promise<object | InputRequiredResult>
}

export const READS = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
} as const

/** The schema of arguments: all but the optional ones have to be there. */
export function argumentsOf(
  properties: Readonly<Record<string, JsonSchema>>,
  optional: readonly string[] = [],
): Tool['inputSchema'] {
  const required = Object.keys(properties).filter(name => !optional.includes(name))
  return { type: 'object', properties, required, additionalProperties: false }
}
