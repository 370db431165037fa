import { CATEGORIES, type Category, DESTINATION_MAX_LENGTH, DISPLAY_DAYS } from '@placard/contract'
import type { DatedRow } from '../../domain/listings/listed-row.ts'
import type { SearchResult } from '../../domain/listings/search.ts'
import { stockClass } from '../../domain/pictures/posters/stock.ts'
import { fold, runsOf } from '../../domain/search/fold.ts'
import type { Stretch } from '../../domain/search/highlights.ts'
import { wordsOf } from '../../domain/search/query.ts'
import { LIST_PATH } from '../../platform/http/links.ts'
import { Categories, countText } from '../browse/categories.tsx'
import { Button, Section } from '../ui/elements.tsx'
import { categoryPath, knownLanguage } from '../ui/format.ts'
import { Wall } from '../ui/listing-poster.tsx'
import { Thumb } from '../ui/poster.tsx'
import { EMPTY_SEARCH, pathOf, type SearchParams } from './filters.tsx'

/** The results of a search, with the matching words marked. @param text what was typed */
export function FoundRows({ listings, text }: { listings: readonly SearchResult[]; text: string }) {
  const words = wordsOf(text)
  return (
    <ol class="found">
      {listings.map(listing => (
        <FoundRow key={listing.slug} listing={listing} isClose={isClose(listing, words)} text={text} />
      ))}
    </ol>
  )
}

function FoundRow({ listing, isClose, text }: { listing: SearchResult; isClose: boolean; text: string }) {
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
function isClose({ titleParts, descriptionParts, hostname, category }: SearchResult, words: readonly string[]) {
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

/** What may help if nothing was found. */
export interface Fitting {
  /** The category that fits the words, and how many listings it has. */
  category?: { name: Category; count: number; newest: readonly DatedRow[] } | undefined
  now: number
}

interface NothingProps {
  wanted: SearchParams
  fitting: Fitting
  nearest: readonly DatedRow[]
}

const NEAREST_SHOWN = 4

/** The answer if nothing was found: where to look, what comes close, and how to list the missing website. */
export function Nothing({ wanted, fitting: { category, now }, nearest }: NothingProps) {
  const isNarrowed =
    wanted.category !== undefined || wanted.language !== undefined || wanted.isVerified || wanted.hasPicture
  const near = [...new Map([...nearest, ...(category?.newest ?? [])].map(row => [row.id, row])).values()]
  return (
    <>
      <div class="nil">
        <h1>No matches</h1>
        <p class="lead">
          We searched titles, descriptions, host names and categories for “<bdi>{wanted.text}</bdi>”.
          {isNarrowed && (
            <>
              {' '}
              <a href={pathOf({ ...EMPTY_SEARCH, text: wanted.text })}>Search all listings</a>, without filters.
            </>
          )}
        </p>
      </div>
      {category && (
        <section aria-label="A category that fits">
          <a class={`fits ${stockClass(category.name)}`} href={categoryPath(category.name)}>
            <span>A category that fits</span> <b>{category.name}</b> <span>{countText(category.count)}</span>
          </a>
        </section>
      )}
      {near.length > 0 && (
        <Section id="near" title="Nearest" note={<p>Close to your words, or in that category.</p>}>
          <Wall listings={near.slice(0, NEAREST_SHOWN)} now={now} saysCategory />
        </Section>
      )}
      <Section id="first" title="Be the first" note={<p>Free for {DISPLAY_DAYS} days.</p>}>
        <form class="ask" action={LIST_PATH}>
          <input
            type="text"
            name="address"
            inputmode="url"
            autocomplete="url"
            maxLength={DESTINATION_MAX_LENGTH}
            placeholder="https://"
            aria-label="The missing website’s address"
            required
          />
          {category && <input type="hidden" name="category" value={category.name} />}
          <Button>Make the prompt</Button>
        </form>
        <p class="soft">The prompt is for your AI agent, which lists the website when you say yes.</p>
      </Section>
      {!category && <Categories />}
    </>
  )
}
