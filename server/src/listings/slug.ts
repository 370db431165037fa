import type { Destination } from '../destinations/destination.ts'

const MAX_LENGTH = 60

/**
 * Readable name of a listing in its address, such as `sunrise-bakery-com-menu`. Two destinations can share one:
 * `suffix` then tells them apart.
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

/**
 * Whether a part of an address may be a slug. It may hold anything, and PostgreSQL takes no NUL in a text, not even to
 * find nothing.
 */
export const isSlug = (text: string): boolean => /^[a-z0-9-]{1,200}$/.test(text)
