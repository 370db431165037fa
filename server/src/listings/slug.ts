import type { Destination } from '../destinations/destination.ts'

const MAX_LENGTH = 60

/**
 * A readable name for a listing's address, such as `sunrise-bakery-com-menu`. If two destinations share one, `suffix`
 * tells them apart.
 */
export function slugFor({ url, hostname }: Destination, suffix?: string): string {
  const { pathname } = new URL(url)
  const words = (hostname.replace(/^www\./, '') + pathname)
    .replace(/%[0-9A-F]{2}/gi, '-')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_LENGTH)
    .replace(/^-|-$/g, '')
  return suffix === undefined ? words : `${words}-${suffix}`
}

/** Whether a part of an address can be a slug. Check before querying: PostgreSQL rejects a NUL in any text. */
export const isSlug = (text: string): boolean => /^[a-z0-9-]{1,200}$/.test(text)
