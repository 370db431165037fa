import { CATEGORIES, suggestCategory, suggestDestination } from '@placard/contract/plain'
import { usageError } from './error.ts'
import type { Wanted } from './submissions/submission.ts'

/**
 * Finds misspellings that every service refuses, before anything is saved or sent. The service decides about everything
 * else. Throws `invalid_destination` and `unknown_category`.
 */
export function checkSpelling({ service, destination, category }: Wanted): void {
  if (!/^https?:\/\/[^/?#]/i.test(destination)) {
    const suggestion = suggestDestination(destination, address => isSurelyPublic(address, service))
    throw usageError(
      'invalid_destination',
      'The destination does not begin with https:// or http:// and the name of a website.',
      suggestion ? `Did you mean ${suggestion}?` : 'Give the whole address, as a browser shows it.',
      'destination',
    )
  }
  const known: readonly string[] = CATEGORIES
  const suggestion = known.includes(category) ? undefined : suggestCategory(category)
  if (suggestion) {
    throw usageError('unknown_category', 'There is no such category.', `Did you mean "${suggestion}"?`, 'category')
  }
}

/** Top-level domains under which every name belongs to its registrant. Others have their own rules. */
const PLAIN_SUFFIXES =
  'com org net info biz dev app xyz shop store online site tech blog cloud page de nl eu ch be dk'.split(' ')
const RESERVED_NAME = /(?:^|\.)example\.(?:com|net|org)$/

/** Only the service has the list of public suffixes. If in doubt, the answer is no. */
function isSurelyPublic(address: string, service: string): boolean {
  const [host, own] = [address, service].map(each => new URL(each).hostname.replace(/^www\./, ''))
  if (!host || host === own || host.includes('xn--') || RESERVED_NAME.test(host)) return false
  const labels = host.split('.')
  const suffix = labels.pop()
  return labels.length > 0 && labels.every(isLabel) && PLAIN_SUFFIXES.some(plain => plain === suffix)
}

const isLabel = (label: string): boolean =>
  label.length <= 63 && /^[a-z0-9-]+$/.test(label) && !label.startsWith('-') && !label.endsWith('-')
