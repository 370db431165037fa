import { CATEGORIES, type Category } from './categories.ts'
import { editDistance } from './edit-distance.ts'

const GIVEN_MAX_LENGTH = 60

/**
 * Returns the category that a text nearly names, or undefined. Finds a typo, another case, "and" for "&", and missing
 * punctuation.
 */
export function suggestCategory(given: unknown): Category | undefined {
  if (typeof given !== 'string' || given.length > GIVEN_MAX_LENGTH) return undefined
  const wanted = letters(given)
  const allowed = Math.min(3, wanted.length < 4 ? 0 : Math.max(1, Math.floor(wanted.length / 5)))
  return CATEGORIES.map(category => ({ category, edits: editDistance(wanted, letters(category), allowed) }))
    .filter(({ edits }) => edits <= allowed)
    .sort((one, other) => one.edits - other.edits)[0]?.category
}

const letters = (text: string) =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/&amp;|\band\b/g, '')
    .replace(/[^\p{L}\p{N}]/gu, '')

const ADDRESS_MAX_LENGTH = 120

/** Starts with a host, followed only by a path, a query or a fragment. */
const WITHOUT_SCHEME = /^(?:\/\/)?[^/?#@:%]+(?:[/?#]|$)/

/** Characters that the URL parser silently drops or changes. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Z}\\]/u

/** Words, none long enough to be a key, because a suggestion may be logged. */
const WORDS = /^(?:\/[\w-]{1,20})*(?:\/|\.html?)?$/

/**
 * Returns the https address for a destination given without `https://`, without query and fragment, or undefined.
 *
 * @param accepts whether an address can be listed, so that no address is suggested that would be refused
 */
export function suggestDestination(given: string, accepts: (address: string) => boolean): string | undefined {
  const text = given.trim()
  const address = `https://${text.replace(/^\/\//, '')}`
  if (!WITHOUT_SCHEME.test(text) || UNSEEN.test(text) || !URL.canParse(address)) return undefined
  const { hostname, pathname } = new URL(address)
  const suggestion = `https://${hostname.replace(/\.$/, '')}${pathname}`
  const isPlain = suggestion.length <= ADDRESS_MAX_LENGTH && WORDS.test(pathname)
  return isPlain && accepts(suggestion) ? suggestion : undefined
}
