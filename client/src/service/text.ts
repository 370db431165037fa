/** A time for people, such as `2026-09-06 00:00 UTC`. Takes Unix milliseconds, even absurd ones. */
export function utcText(ms: number): string {
  const date = new Date(ms)
  return Number.isNaN(date.getTime())
    ? 'an unknown time'
    : `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

/** Makes foreign text safe for a terminal: no control or direction characters. */
export function plain(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ')
}

/** The text without trailing slashes. */
export function withoutClosingSlashes(text: string): string {
  let end = text.length
  while (text[end - 1] === '/') end--
  return text.slice(0, end)
}

/** One word for a shell, whatever the text holds: in double quotes where that is enough. */
export function shellWord(text: string): string {
  if (/^[\w:/.~%+,@=-]+$/.test(text)) return text
  return /["$`\\!]/.test(text) ? `'${text.replaceAll("'", String.raw`'\''`)}'` : `"${text}"`
}

/** An amount of cents, such as `20.50 USD`. */
export const dollars = (cents: number) => `${(cents / 100).toFixed(2)} USD`
