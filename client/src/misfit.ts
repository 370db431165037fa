import type { TSchema } from 'typebox'
import { Errors, Pointer } from 'typebox/value'

/** The addresses in the contract's replies that somebody may open, as JSON pointers. */
export const ADDRESSES = [
  '/productUrl',
  '/ownership/privateRecoveryUrl',
  '/ownership/supportUrl',
  '/optionalPaidPlacement/quoteEndpoint',
  '/handoffUrl',
  '/agentGuide',
]

/**
 * Where a value first differs from a schema, as a path such as `ownership.sensitive`, or undefined if it fits. Unknown
 * fields are allowed. Returns only a path, since the value may be private.
 */
export function misfit(schema: TSchema, value: unknown): string | undefined {
  const [error] = Errors(schema, value)
  if (!error) return unsafeAddress(value)
  const missing = error.keyword === 'required' ? `/${error.params.requiredProperties[0]}` : ''
  return pathText(error.instancePath + missing)
}

/** The schemas accept any scheme, but a click must never run anything. */
function unsafeAddress(value: unknown): string | undefined {
  const unsafe = ADDRESSES.find(pointer => {
    const address = Pointer.Get(value, pointer)
    return address !== undefined && !isWebOrMail(address)
  })
  return unsafe && pathText(unsafe)
}

const isWebOrMail = (address: unknown) =>
  typeof address === 'string' && URL.canParse(address) && /^(https?|mailto):$/.test(new URL(address).protocol)

const pathText = (pointer: string) =>
  pointer
    .slice(1)
    .replace(/\/(\d+)/g, '[$1]')
    .replaceAll('/', '.') || 'the body'
