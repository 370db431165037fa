import { DESTINATION_MAX_LENGTH, ERRORS } from '@placard/contract'
import { type Destination, parseDestination } from '../../destinations/destination.ts'
import type { Links } from '../../http/links.ts'
import { Problem } from '../../http/problem.ts'
import { mayHoldOwnerKey } from '../../ownership/private-link.ts'

/**
 * The destination that a person typed, with or without a scheme; else one sentence on what is wrong. Refuses a private
 * link, or any text with an owner key, however escaped: it is neither used nor shown.
 */
export function typedDestination(text: string, links: Links): Destination | { fault: string } {
  const typed = text.trim()
  if (mayHoldOwnerKey(typed)) return { fault: PRIVATE_LINK }
  try {
    return parseDestination(/^[^/?#]*:/.test(typed) ? typed : `https://${typed}`, links.hostname)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    // For a person, the broken rule is enough.
    return { fault: error.message.replace(ERRORS.invalid_destination.error, '').trim() }
  }
}

const PRIVATE_LINK =
  'This looks like a private link, which opens a listing. Enter the public address instead.'

/** What stays in an address field after a fault: the text as typed, unless it may hold a private link or a password. */
export function keptAddress(text: unknown): string | undefined {
  if (typeof text !== 'string' || text.length > DESTINATION_MAX_LENGTH) return undefined
  if (/@|\/manage\//i.test(text) || mayHoldOwnerKey(text)) return undefined
  return text.toWellFormed().replace(/\p{C}+/gu, '')
}
