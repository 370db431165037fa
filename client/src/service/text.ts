/** A time for people, such as `2026-09-06 00:00 UTC`. Takes Unix milliseconds, even absurd ones. */
export function utcText(ms: number): string {
  const date = new Date(ms)
  return Number.isNaN(date.getTime()) ? 'an unknown time' : `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

/** Makes foreign text safe for a terminal: no control or direction characters. */
export function plain(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ')
}

/** Length of a submission secret in hex. */
const SECRET_DIGITS = 64

/** Foreign text without anything like a secret or a private link. */
export const withoutSecrets = (text: string) =>
  text
    .replace(/#owner=[\w-]+/gi, '[secret]')
    .replace(/[0-9a-f]+/gi, digits => (digits.length < SECRET_DIGITS ? digits : '[secret]'))

const DECISION_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Whether a text is the id of a decision, which no address is. */
export const isDecisionId = (text: string): boolean => DECISION_ID.test(text)

/** The text without trailing slashes. */
export function withoutClosingSlashes(text: string): string {
  let end = text.length
  while (text[end - 1] === '/') end--
  return text.slice(0, end)
}

/** A part of an address, whatever is given: half a character, which has no bytes, becomes a sign for that. */
export const inAddress = (given: unknown): string => encodeURIComponent(String(given).toWellFormed())

/** One word for a shell, whatever the text holds: in double quotes where that is enough. */
export function shellWord(text: string): string {
  if (/^[\w:/.~%+,@=-]+$/.test(text)) return text
  return /["$`\\!]/.test(text) ? `'${text.replaceAll("'", String.raw`'\''`)}'` : `"${text}"`
}

/** An amount of cents, such as `20.50 USD`. */
export const dollars = (cents: number) => `${(cents / 100).toFixed(2)} USD`

/** Returns a number and what it counts, such as `1 draw` or `2 draws`. */
export const counted = (count: number, one: string, many = `${one}s`) => `${count} ${count === 1 ? one : many}`
