import { CATEGORIES, type Category } from '@placard/contract'
import { categorySlug } from '../../edge/tags.ts'

/** Path of a category's page. */
export const categoryPath = (category: string): string => `/category/${categorySlug(category)}`

/** Address of its board: what of the category is paid for. */
export const categoryBoardPath = (category: string): string => `${categoryPath(category)}/board`

const CATEGORY_OF = new Map(CATEGORIES.map(category => [categorySlug(category), category]))

/** The category with this slug, or undefined. */
export const findCategory = (slug: string): Category | undefined => CATEGORY_OF.get(slug)
