/** Helpers for what listed pages say about themselves. It is hostile until shown otherwise. */

const languageNames = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' })

/** The language tag a page declared, for `lang`, or undefined where it is not a known language. */
export function knownLanguage(tag: string): string | undefined {
  try {
    return languageNames.of(tag) === undefined ? undefined : tag
  } catch {
    return undefined
  }
}

/** The address, if it is one a link may lead to: no `javascript:`, no `data:`. */
export function webAddress(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url && /^https?:$/.test(url.protocol) ? url.href : undefined
}

/** The beginning of a text, whole characters only, with an ellipsis where something is left out. */
export function clip(text: string, length: number): string {
  const characters = [...text]
  return characters.length <= length
    ? text
    : `${characters
        .slice(0, length - 1)
        .join('')
        .trimEnd()}…`
}
