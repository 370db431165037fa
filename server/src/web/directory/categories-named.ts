import { CATEGORIES, type Category } from '@placard/contract'
import { runsOf } from '../../search/fold.ts'
import { wordsOf } from '../../search/typed.ts'

/** The categories whose names contain every typed word, or a word that starts with it; singular and plural both match. */
export function categoriesNamed(typed: string): Category[] {
  // `&` is not a word, so drop the "and" that stands for it.
  const words = wordsOf(typed)
    .filter(word => word !== 'and')
    .map(word => word.replace(/(?<=..)s$/, ''))
  if (words.length === 0) return []
  return CATEGORIES.filter((_, place) => words.every(word => WORDS[place]?.some(own => own.startsWith(word))))
}

/** The words of each name, and last all of them joined, as in `ecommerce`. */
const WORDS = CATEGORIES.map(category => runsOf(category)).map(words => [...words, words.join('')])
