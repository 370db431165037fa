import { type ErrorCode, suggestCategory } from '@placard/contract'
import type { FastifySchemaValidationError } from 'fastify'
import { Problem } from './problem.ts'

/** The error for each field, whether it is missing or has a wrong type or value. */
const CODE_BY_FIELD: Partial<Record<string, ErrorCode>> = {
  destination: 'invalid_destination',
  category: 'unknown_category',
  approval: 'approval_required',
  'approval.scope': 'approval_required',
  'approval.userApproved': 'approval_required',
  'approval.rulesVersion': 'rules_version_mismatch',
  board: 'invalid_board',
  targetBid: 'invalid_target_bid',
  cursor: 'invalid_cursor',
  limit: 'invalid_limit',
}

/** The error for the first fault that the schema found. Names the field and never repeats a value. */
export function invalidBody(faults: readonly FastifySchemaValidationError[], body?: unknown): Problem {
  const fault = faults[0]
  const parent = (fault?.instancePath ?? '').split('/').filter(Boolean)
  const { missingProperty, additionalProperty } = (fault?.params ?? {}) as Record<string, unknown>

  if (typeof additionalProperty === 'string') {
    // The caller chose this name, so cut it short.
    const name = JSON.stringify(additionalProperty.slice(0, 40))
    const field = parent.join('.')
    return new Problem('invalid_body', { detail: `Unknown field ${name}.`, ...(field && { field }) })
  }
  const field = [...parent, ...(typeof missingProperty === 'string' ? [missingProperty] : [])].join('.')
  const code = CODE_BY_FIELD[field] ?? 'invalid_body'
  const detail = whatIsWrong(field, fault, code, body)
  return new Problem(code, { ...(field && { field }), ...(detail && { detail }) })
}

/** What to say before the table's advice, unless that says it already. */
function whatIsWrong(
  field: string,
  fault: FastifySchemaValidationError | undefined,
  code: ErrorCode,
  body: unknown,
): string | undefined {
  if (fault?.keyword === 'required') return `${field} is missing.`
  if (fault?.keyword === 'maxLength') return `${field} is longer than ${fault.params.limit} characters.`
  if (code === 'unknown_category') {
    const suggestion = suggestCategory((body as { category?: unknown } | undefined)?.category)
    return suggestion && `Did you mean "${suggestion}"?`
  }
  return code === 'invalid_body' && field ? `${field} ${fault?.message ?? 'is wrong'}.` : undefined
}
