import { pathNames } from '@placard/contract'
import { withoutWww } from './hostname.ts'

/** Raise it when the rules of host or path (`pathNames`) change, so that stored keys can be told apart and migrated. */
const KEY_VERSION = 2

/**
 * The one key for all spellings of an address (see `Destination.key`). Expects what `parseDestination` accepted.
 * docs/decisions/destination-keys.md says what folds, and why.
 */
export function destinationKey(hostname: string, pathname: string): string {
  return [`${KEY_VERSION}:${withoutWww(hostname)}`, ...pathNames(pathname)].join('/')
}
