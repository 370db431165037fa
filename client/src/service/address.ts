import { usageError } from '../error.ts'
import { withoutClosingSlashes } from './text.ts'

/**
 * Checks a service's address and returns it normalised, without a trailing slash. Throws `invalid_service_address`,
 * also for http:// to anything but loopback, because the secret travels in a header.
 */
export function serviceAddress(text: unknown): string {
  const url = typeof text === 'string' && URL.canParse(text) ? new URL(text) : undefined
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw invalid('The service address must be a full address such as https://placard.example.')
  }
  if (url.username || url.password || url.search || url.hash) {
    throw invalid('The service address must not have a user name, password, query or fragment.')
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    throw invalid('The service address must begin with https://, because a secret is sent to it.')
  }
  return withoutClosingSlashes(`${url.origin}${url.pathname}`)
}

const isLoopback = (hostname: string) =>
  hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname)

const invalid = (error: string) =>
  usageError(
    'invalid_service_address',
    error,
    'Nothing was sent. Ask the operator of the service for its address.',
    'service',
  )
