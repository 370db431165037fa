/** Helpers for text that listed websites wrote. Treat it as hostile. */

const languageNames = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' })

/** The page's language tag, for `lang`, or undefined if it names no known language. */
export const knownLanguage = (tag: string): string | undefined =>
  languageName(tag) === undefined ? undefined : tag

/** The language of a tag in English, such as Austrian German, or undefined. */
export function languageName(tag: string): string | undefined {
  try {
    return languageNames.of(tag)
  } catch {
    return undefined
  }
}

/** The address if it is http or https (never `javascript:` or `data:`), otherwise undefined. */
export function webAddress(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
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
