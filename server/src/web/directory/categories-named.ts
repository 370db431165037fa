import { CATEGORIES, type Category } from '@placard/contract'
import { runsOf } from '../../search/fold.ts'
import { wordsOf } from '../../search/typed.ts'

/** The categories whose names have every word that a person typed, in one or many, or one that begins with it. */
export function categoriesNamed(typed: string): Category[] {
  // `&` is no word, so neither is what stands for it.
  const words = wordsOf(typed)
    .filter(word => word !== 'and')
    .map(word => word.replace(/(?<=..)s$/, ''))
  if (words.length === 0) return []
  return CATEGORIES.filter((_, place) => words.every(word => WORDS[place]?.some(own => own.startsWith(word))))
}

/** The last one is all of them without a hyphen or blank, as in `ecommerce`. */
const WORDS = CATEGORIES.map(category => runsOf(category)).map(words => [...words, words.join('')])
