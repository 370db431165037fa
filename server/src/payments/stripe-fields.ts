/** Fields of an object in JSON, of which nothing is known yet. */
export type Fields = Readonly<Record<string, unknown>>

/** The fields of an object; none of anything else. */
export const asFields = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {}

/** The id that a reference holds, alone or within an expanded object; of the second where there is no first. */
export function idOf(reference: unknown, otherwise: unknown): string | undefined {
  const chosen = reference ?? otherwise
  const id = typeof chosen === 'string' ? chosen : asFields(chosen).id
  return isText(id) ? id : undefined
}

/** Ids and types are printable ASCII; PostgreSQL stores no NUL. */
export const isText = (value: unknown): value is string =>
  typeof value === 'string' && /^[\x20-\x7e]{1,255}$/.test(value)

/** Whole and not negative, as every amount is, in the smallest unit of its currency. */
export const isAmount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0

export const isCurrency = (value: unknown): value is string =>
  typeof value === 'string' && /^[a-z]{3}$/i.test(value)

/** The last second that still has a year of four digits, and so a day that can be written. */
const LAST_SECOND = Date.UTC(9999, 11, 31, 23, 59, 59) / 1000

/** A time in Unix seconds. */
export const isSecond = (value: unknown): value is number => isAmount(value) && value <= LAST_SECOND
