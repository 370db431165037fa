import { CATEGORIES, type Category } from '@placard/contract'
import type { Found } from '../../domain/listings/search.ts'
import { fold, runsOf } from '../../domain/search/fold.ts'
import type { Stretch } from '../../domain/search/highlights.ts'
import { wordsOf } from '../../domain/search/query.ts'
import { knownLanguage } from '../ui/format.ts'
import { Thumb } from '../ui/poster.tsx'

/** The results of a search, with the matching words marked. @param text what was typed */
export function FoundRows({ listings, text }: { listings: readonly Found[]; text: string }) {
  const words = wordsOf(text)
  return (
    <ol class="found">
      {listings.map(listing => (
        <FoundRow key={listing.slug} listing={listing} isClose={isClose(listing, words)} text={text} />
      ))}
    </ol>
  )
}

function FoundRow({ listing, isClose, text }: { listing: Found; isClose: boolean; text: string }) {
  const { slug, titleParts, descriptionParts, hostname, category, missing } = listing
  const lang = knownLanguage(listing.language)
  return (
    <li>
      <Thumb listing={listing} />
      <div data-keep={slug}>
        <h2 dir="auto" lang={lang}>
          <a href={`/product/${slug}`}>
            <Marked parts={titleParts} />
          </a>
        </h2>
        <p class="host">
          <bdi dir="ltr">{hostname}</bdi>
          {isClose && (
            <>
              {' · close to '}
              <em>
                <bdi>{text}</bdi>
              </em>
            </>
          )}
        </p>
        {descriptionParts.length > 0 && (
          <p class="clamp2" dir="auto" lang={lang}>
            <Marked parts={descriptionParts} />
          </p>
        )}
        <p class="host">
          {category}
          {missing.length > 0 && ' · missing: '}
          {missing.map((word, place) => (
            <span class="miss" key={word}>
              {place > 0 && ', '}
              <s>
                <bdi>{word}</bdi>
              </s>
            </span>
          ))}
        </p>
      </div>
    </li>
  )
}

/** Words that begin with this many equal letters are treated as forms of one word. */
const FORM_LETTERS = 3

/** Returns whether the marked words differ from the typed ones, such as synonyms. */
function isClose({ titleParts, descriptionParts, hostname, category }: Found, words: readonly string[]) {
  const marked = [...titleParts, ...descriptionParts].filter(({ isMatch }) => isMatch).map(({ text }) => text)
  if (marked.length === 0) return false
  const shown = fold([...marked, hostname, category].join(' '))
  return !words.some(word => shown.includes([...word].slice(0, FORM_LETTERS).join('')))
}

/** Renders every stretch as text, because it comes from a listed page. Only the marks are ours. */
const Marked = ({ parts }: { parts: readonly Stretch[] }) => (
  <>{parts.map(({ text, isMatch }) => (isMatch ? <mark>{text}</mark> : text))}</>
)

/** Returns the categories whose names have every typed word, or a word that starts with it, in singular or plural. */
export function categoriesNamed(typed: string): Category[] {
  // `&` is not a word, so an "and" in its place is ignored.
  const words = wordsOf(typed)
    .filter(word => word !== 'and')
    .map(word => word.replace(/(?<=..)s$/, ''))
  if (words.length === 0) return []
  return CATEGORIES.filter((_, place) => words.every(word => WORDS[place]?.some(own => own.startsWith(word))))
}

/** The words of each name, and all of them joined, as in `ecommerce`. */
const WORDS = CATEGORIES.map(category => runsOf(category)).map(words => [...words, words.join('')])
