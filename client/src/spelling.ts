import { CATEGORIES, suggestCategory, suggestDestination } from '@placard/contract'
import { usageError } from './error.ts'

/** What a caller wants listed or priced, and the address of the service in normal form. */
export interface Wanted {
  service: string
  destination: string
  category: string
}

/**
 * Stops what every service refuses and a better spelling can mend, before anything is written or sent. What else may be
 * wrong, the service decides. Throws `invalid_destination` and `unknown_category`.
 */
export function checkSpelling({ service, destination, category }: Wanted): void {
  if (!/^https?:\/\/[^/?#]/i.test(destination)) {
    const suggestion = suggestDestination(destination, address => isSurelyPublic(address, service))
    throw usageError(
      'invalid_destination',
      'The destination does not begin with https:// or http:// and the name of a website.',
      suggestion ? `Did you mean ${suggestion}?` : 'Give the whole address, as a browser shows it.',
    )
  }
  const known: readonly string[] = CATEGORIES
  const suggestion = known.includes(category) ? undefined : suggestCategory(category)
  if (suggestion) {
    throw usageError('unknown_category', 'There is no such category.', `Did you mean "${suggestion}"?`)
  }
}

/** Top-level domains under which every name belongs to whoever registered it. Others have rules of their own. */
const PLAIN_SUFFIXES =
  'com org net info biz dev app xyz shop store online site tech blog cloud page de nl eu ch be dk'.split(' ')
const RESERVED_NAME = /(?:^|\.)example\.(?:com|net|org)$/

/** Without the list of public suffixes, which only the service has: where in doubt, no. */
function isSurelyPublic(address: string, service: string): boolean {
  const [host, own] = [address, service].map(each => new URL(each).hostname.replace(/^www\./, ''))
  if (!host || host === own || host.includes('xn--') || RESERVED_NAME.test(host)) return false
  const labels = host.split('.')
  const suffix = labels.pop()
  return labels.length > 0 && labels.every(isLabel) && PLAIN_SUFFIXES.some(plain => plain === suffix)
}

const isLabel = (label: string): boolean =>
  label.length <= 63 && /^[a-z0-9-]+$/.test(label) && !label.startsWith('-') && !label.endsWith('-')
