import { CATEGORIES } from '@placard/contract'

const PIN_COLOURS = 6

/** Each category has its pin colour. It only decorates: the category is always named beside it. */
export function pinOf(category: string): string {
  const place = (CATEGORIES as readonly string[]).indexOf(category)
  return `pin-${Math.max(0, place) % PIN_COLOURS}`
}
