import { type Board, CATEGORIES, type Category } from '@placard/contract'
import { categorySlug } from '../../platform/cdn/tags.ts'
import { Problem } from '../../platform/http/problem.ts'
import { lazily } from '../../platform/lib/lazily.ts'

/** Helpers for text that listed websites wrote. Treat it as hostile. */

const languageNames = lazily(() => new Intl.DisplayNames('en', { type: 'language', fallback: 'none' }))

/** The page's language tag, for `lang`, or undefined if it names no known language. */
export const knownLanguage = (tag: string): string | undefined => (languageName(tag) === undefined ? undefined : tag)

/** The language of a tag in English, such as Austrian German, or undefined. */
export function languageName(tag: string): string | undefined {
  try {
    return languageNames().of(tag)
  } catch {
    return undefined
  }
}

/** The address if it is http or https (never `javascript:` or `data:`), otherwise undefined. */
export function webAddress(text: string): string | undefined {
  const url = URL.parse(text)
  return url && /^https?:$/.test(url.protocol) ? url.href : undefined
}

/** Cuts a text to `length` whole characters, with an ellipsis if anything was cut. */
export function clip(text: string, length: number): string {
  const characters = [...text]
  return characters.length <= length
    ? text
    : `${characters
        .slice(0, length - 1)
        .join('')
        .trimEnd()}…`
}

export const BOARD_NAMES: Record<Board, string> = { all: 'All time', today: 'Today' }

/** The names of the boards within a sentence. */
export const BOARDS_IN_WORDS: Record<Board, string> = {
  all: 'the all-time board',
  today: 'today’s board',
}

export const categoryPath = (category: string): string => `/category/${categorySlug(category)}`

export const categoryBoardPath = (category: string): string => `${categoryPath(category)}/board`

/** Path of the feed of a page, with the page's query. */
export const feedPath = (page: string): string => page.replace(/(?=\?|$)/, '/feed.atom')

const CATEGORY_OF = new Map(CATEGORIES.map(category => [categorySlug(category), category]))

export const findCategory = (slug: string): Category | undefined => CATEGORY_OF.get(slug)

/** Returns the category at an address. @throws Problem not_found */
export function categoryAt(slug: string): Category {
  const category = findCategory(slug)
  if (!category) throw new Problem('not_found')
  return category
}

const wholeDollarFormat = lazily(
  () =>
    new Intl.NumberFormat('en-US', {
      style: 'currency',
      currency: 'USD',
      trailingZeroDisplay: 'stripIfInteger',
    }),
)

/** Cents as dollars, without cents if there are none: $820, but $12.50. */
export const shortDollars = (cents: number): string => wholeDollarFormat().format(cents / 100)
