import { CATEGORIES } from '@placard/contract'

const PIN_COLOURS = 6

/** The pin colour of a category. Decoration only: the category is always named beside it. */
export function pinOf(category: string): string {
  const place = (CATEGORIES as readonly string[]).indexOf(category)
  return `pin-${Math.max(0, place) % PIN_COLOURS}`
}
