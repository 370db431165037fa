import type { FastifyRequest } from 'fastify'
import type { Static, TSchema } from 'typebox'
import type { BoardDependencies } from '../../domain/boards/api.ts'
import type { CapabilitiesDependencies } from '../../domain/publishing/capabilities.ts'
import type { CheckParts } from '../../domain/publishing/check.ts'
import type { Allowances } from '../../platform/http/rate-limits/counter.ts'
import type { Allowance } from '../../platform/http/rate-limits/rate-limit.ts'

export interface ToolDependencies extends CapabilitiesDependencies, BoardDependencies {
  allowances: Allowances
  /** Shared with the operations of the API: a client has one allowance for both. */
  checking: CheckParts
  quoteAllowance: Allowance
  searchAllowance: Allowance
}

/** A tool as clients see it, and its action. */
export interface Tool {
  name: string
  title: string
  description: string
  /** All four are set, because their defaults assume the worst. */
  annotations: {
    readOnlyHint: boolean
    destructiveHint: boolean
    idempotentHint: boolean
    /** Whether it reaches anything beyond this service. */
    openWorldHint: boolean
  }
  inputSchema: TSchema
  outputSchema: TSchema
  /** @throws Problem as the API does */
  call(args: never, deps: ToolDependencies, request: FastifyRequest): object | Promise<object>
}

/** Reads this service only. Repeated calls have no effect. */
export const READS = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
} as const

/** Connects the types of a tool's arguments and result to its schemas. */
export const defineTool = <Input extends TSchema, Output extends TSchema>(
  tool: Omit<Tool, 'inputSchema' | 'outputSchema' | 'call'> & {
    inputSchema: Input
    outputSchema: Output
    call(args: Static<Input>, deps: ToolDependencies, request: FastifyRequest): Static<Output> | Promise<Static<Output>>
  },
): Tool => tool
