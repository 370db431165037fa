import { CATEGORIES, type Category } from '@placard/contract'

/** Name of a category in an address: `Analytics & Data` is `analytics-data`. */
export const categorySlug = (category: string): string =>
  category.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')

/** Address of the listings of a category. */
export const categoryPath = (category: string): string => `/category/${categorySlug(category)}`

const CATEGORY_OF = new Map(CATEGORIES.map(category => [categorySlug(category), category]))

/** The category of that name, or undefined where there is none. */
export const findCategory = (slug: string): Category | undefined => CATEGORY_OF.get(slug)
