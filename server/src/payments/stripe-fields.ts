/** Unchecked fields of a JSON object. */
export type Fields = Readonly<Record<string, unknown>>

/** The fields of an object; empty for anything else. */
export const asFields = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {}

/** The id in a reference, alone or in an expanded object; that of `otherwise` if there is no reference. */
export function idOf(reference: unknown, otherwise: unknown): string | undefined {
  const chosen = reference ?? otherwise
  const id = typeof chosen === 'string' ? chosen : asFields(chosen).id
  return isText(id) ? id : undefined
}

/** Ids and types are printable ASCII; PostgreSQL cannot store a NUL. */
export const isText = (value: unknown): value is string =>
  typeof value === 'string' && /^[\x20-\x7e]{1,255}$/.test(value)

/** Amounts are whole and not negative, in the currency's smallest unit. */
export const isAmount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0

export const isCurrency = (value: unknown): value is string =>
  typeof value === 'string' && /^[a-z]{3}$/i.test(value)

/** The last second of a four-digit year, so that its day can be written. */
const LAST_SECOND = Date.UTC(9999, 11, 31, 23, 59, 59) / 1000

/** A time in Unix seconds. */
export const isSecond = (value: unknown): value is number => isAmount(value) && value <= LAST_SECOND
