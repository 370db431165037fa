import type { TSchema } from 'typebox'
import { Errors, Pointer } from 'typebox/value'

/** Where the contract's replies hold an address that someone may open, as JSON pointers. */
export const ADDRESSES = [
  '/productUrl',
  '/ownership/privateRecoveryUrl',
  '/ownership/supportUrl',
  '/optionalPaidPlacement/quoteEndpoint',
  '/handoffUrl',
  '/agentGuide',
]

/**
 * Where a value first departs from a schema, as a path such as `ownership.sensitive`, or undefined where it fits.
 * Unknown fields are allowed. It gives a path and never the value, which may be private.
 */
export function misfit(schema: TSchema, value: unknown): string | undefined {
  const [error] = Errors(schema, value)
  if (!error) return unsafeAddress(value)
  const missing = error.keyword === 'required' ? `/${error.params.requiredProperties[0]}` : ''
  return pathText(error.instancePath + missing)
}

/** The schemas take any scheme; a click must not run anything. */
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
