import Type from 'typebox'
import { CATEGORIES } from './categories.ts'

/** A category as a request names it. */
export const CategoryId = Type.Enum([...CATEGORIES], {
  title: 'Category',
  type: 'string',
  description: 'English category ID from the capabilities operation.',
})
