import Type from 'typebox'
import { CATEGORIES } from './categories.ts'
import { FIELD_WORDS } from './tool-words.ts'

/** A category as a request names it. */
export const CategoryId = Type.Enum([...CATEGORIES], {
  title: 'Category',
  type: 'string',
  description: FIELD_WORDS.check.category,
})
