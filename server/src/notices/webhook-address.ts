import { type Destination, parseDestination } from '../destinations/destination.ts'

/**
 * An https address for a webhook, checked like a destination but with its query, which many receivers need. Where its host leads is checked at each delivery.
 *
 * @param ownHost this service's host, to which nothing is posted
 * @returns undefined if it is none
 */
export function parseWebhookAddress(raw: unknown, ownHost: string): Destination | undefined {
  if (typeof raw !== 'string' || raw.length > ADDRESS_MAX_LENGTH) return undefined
  const [withoutQuery = ''] = raw.trim().split(/[?#]/, 1)
  try {
    const destination = parseDestination(withoutQuery, ownHost)
    if (!destination.url.startsWith('https:')) return undefined
    return { ...destination, url: destination.url + (URL.parse(raw.trim())?.search ?? '') }
  } catch {
    return undefined
  }
}

export const ADDRESS_MAX_LENGTH = 1000
