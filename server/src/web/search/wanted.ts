import type { Category } from '@placard/contract'
import type { SearchOrder } from '../../domain/listings/search.ts'
import { categorySlug } from '../../platform/cdn/tags.ts'
import { feedPath } from '../ui/format.ts'

/** A search as the form sends it. */
export interface Wanted {
  /** From `shownQuery`. */
  text: string
  category: Category | undefined
  /** Primary language, such as `pt`. */
  language: string | undefined
  order: SearchOrder
  /** Only listings whose owner is verified. */
  isVerified: boolean
  /** Only listings with a picture of their own. */
  hasPicture: boolean
  /** Whether the words are searched for as typed, even if they look like typos. */
  isExact: boolean
}

export const ANYTHING: Wanted = {
  text: '',
  category: undefined,
  language: undefined,
  order: 'relevance',
  isVerified: false,
  hasPicture: false,
  isExact: false,
}

/** The page and the feed of a saved search. The feed has new matches first, whatever order the page has. */
export function searchFeed(wanted: Wanted): { path: string; page: string; title: string } {
  const page = pathOf({ ...wanted, order: 'newest' })
  return { path: feedPath(pathOf({ ...wanted, order: 'relevance' })), page, title: `Search: ${wanted.text}` }
}

/** Returns the parameters of a search, except its words. Leaves out default values. */
export const parametersOf = ({ category, language, order, isVerified, hasPicture, isExact }: Wanted) =>
  Object.entries({
    category: category && categorySlug(category),
    language,
    sort: order === 'newest' ? order : undefined,
    verified: isVerified ? '1' : undefined,
    picture: hasPicture ? '1' : undefined,
    exact: isExact ? '1' : undefined,
  }).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))

/** Returns the address of a search, or of the page after a cursor. */
export function pathOf(wanted: Wanted, after?: string): string {
  const query = [['q', wanted.text] as const, ...parametersOf(wanted), ...(after ? [['after', after] as const] : [])]
  return `/search?${query.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')}`
}

const NAMES = new Intl.DisplayNames('en', { type: 'language' })

/** The languages that the filter accepts. */
const SEARCH_LANGUAGES: ReadonlySet<string> = new Set([
  ...['ar', 'az', 'be', 'bg', 'bn', 'ca', 'cs', 'cy', 'da', 'de', 'el', 'en', 'es', 'et', 'eu', 'fa', 'fi'],
  ...['fil', 'fr', 'ga', 'gd', 'gl', 'gu', 'he', 'hi', 'hr', 'hu', 'hy', 'id', 'is', 'it', 'ja', 'ka', 'kk'],
  ...['km', 'kn', 'ko', 'lo', 'lt', 'lv', 'mk', 'ml', 'mn', 'mr', 'ms', 'my', 'nb', 'ne', 'nl', 'no', 'pa'],
  ...['pl', 'pt', 'ro', 'ru', 'si', 'sk', 'sl', 'sq', 'sr', 'sv', 'sw', 'ta', 'te', 'th', 'tr', 'uk', 'ur'],
  ...['uz', 'vi', 'zh'],
])

/** Returns a language of the filter, or undefined. */
export const knownSearchLanguage = (id: unknown): string | undefined =>
  typeof id === 'string' && SEARCH_LANGUAGES.has(id) ? id : undefined

/** Returns the English name of a primary language. */
export const searchLanguageName = (id: string): string => NAMES.of(id) ?? id
