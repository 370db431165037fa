import type { Category } from '@placard/contract'
import type { ComponentChildren } from 'preact'
import type { SearchOrder } from '../../domain/listings/search.ts'
import type { FilterCounts } from '../../domain/listings/search-filters.ts'
import { stockClass } from '../../domain/pictures/posters/stock.ts'
import { categorySlug } from '../../platform/cdn/tags.ts'
import { feedPath, knownLanguage, languageName } from '../ui/format.ts'

/** A search as the form sends it. */
export interface SearchParams {
  /** From `shownQuery`. */
  text: string
  category: Category | undefined
  /** Primary language, such as `pt`. */
  language: string | undefined
  order: SearchOrder
  isVerified: boolean
  /** Only listings with a picture of their own. */
  hasPicture: boolean
  /** Whether the words are searched for as typed, even if they look like typos. */
  isExact: boolean
}

export const EMPTY_SEARCH: SearchParams = {
  text: '',
  category: undefined,
  language: undefined,
  order: 'relevance',
  isVerified: false,
  hasPicture: false,
  isExact: false,
}

/** The page and the feed of a saved search. The feed has new matches first, whatever order the page has. */
export function searchFeed(wanted: SearchParams): { path: string; page: string; title: string } {
  const page = pathOf({ ...wanted, order: 'newest' })
  return { path: feedPath(pathOf({ ...wanted, order: 'relevance' })), page, title: `Search: ${wanted.text}` }
}

/** Returns the parameters of a search, except its words. Leaves out default values. */
const parametersOf = ({ category, language, order, isVerified, hasPicture, isExact }: SearchParams) =>
  Object.entries({
    category: category && categorySlug(category),
    language,
    sort: order === 'newest' ? order : undefined,
    verified: isVerified ? '1' : undefined,
    picture: hasPicture ? '1' : undefined,
    exact: isExact ? '1' : undefined,
  }).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))

/** Returns the address of a search, or of the page after a cursor. */
export function pathOf(wanted: SearchParams, after?: string): string {
  const query = [['q', wanted.text] as const, ...parametersOf(wanted), ...(after ? [['after', after] as const] : [])]
  return `/search?${query.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')}`
}

/** Returns the primary language if it is one that the filter can have, or undefined. */
export const parseSearchLanguage = (id: unknown): string | undefined =>
  typeof id === 'string' && /^[a-z]{2,3}$/.test(id) ? knownLanguage(id) : undefined

/** Links that order and narrow the results. Only what occurs among the matches is offered, with its count. */
export function Filters({ wanted, counts }: { wanted: SearchParams; counts: FilterCounts }) {
  const { order, category, language } = wanted
  const languages = counts.languages.filter(each => parseSearchLanguage(each.language))
  const flags = [
    { flag: 'hasPicture', name: 'With a picture', count: counts.pictured } as const,
    { flag: 'isVerified', name: 'Owner verified', count: counts.verified } as const,
  ].filter(({ flag, count }) => count > 0 || wanted[flag])
  return (
    <div class="filters" data-for-people>
      <Choice name="Order">
        <Option wanted={{ ...wanted, order: 'relevance' }} isChosen={order === 'relevance'} name="Best match" />
        <Option wanted={{ ...wanted, order: 'newest' }} isChosen={order === 'newest'} name="Newest" />
      </Choice>
      <Choice name="Category">
        <Option
          wanted={{ ...wanted, category: undefined }}
          isChosen={category === undefined}
          name="All"
          count={`${counts.all}${counts.isAtLeast ? '+' : ''}`}
        />
        {counts.categories.map(each => (
          <Option
            key={each.category}
            wanted={{ ...wanted, category: each.category }}
            isChosen={category === each.category}
            name={
              <>
                <span class={`sw ${stockClass(each.category)}`} /> {each.category}
              </>
            }
            count={each.count}
          />
        ))}
      </Choice>
      {(languages.length > 1 || language !== undefined) && (
        <Choice name="Language">
          <Option wanted={{ ...wanted, language: undefined }} isChosen={language === undefined} name="All" />
          {languages.map(each => (
            <Option
              key={each.language}
              wanted={{ ...wanted, language: each.language }}
              isChosen={language === each.language}
              name={<span data-language={each.language}>{languageName(each.language)}</span>}
              count={each.count}
            />
          ))}
        </Choice>
      )}
      {flags.length > 0 && (
        <Choice name="Show">
          {flags.map(({ flag, name, count }) => (
            <Option
              key={flag}
              wanted={{ ...wanted, [flag]: !wanted[flag] }}
              isChosen={wanted[flag]}
              {...{ name, count }}
            />
          ))}
        </Choice>
      )}
    </div>
  )
}

const Choice = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <nav aria-label={name}>
    {/* A heading would come before that of the page. */}
    <p aria-hidden="true">{name}</p>
    <ul>{children}</ul>
  </nav>
)

interface OptionProps {
  wanted: SearchParams
  isChosen: boolean
  name: ComponentChildren
  count?: number | string
}

const Option = ({ wanted, isChosen, name, count }: OptionProps) => (
  <li>
    <a href={pathOf(wanted)} aria-current={isChosen ? 'true' : undefined}>
      {name} {count !== undefined && <span class="n num">{count}</span>}
    </a>
  </li>
)

/** Fields that keep the filters when other words are searched for. */
export const HiddenFilters = ({ wanted }: { wanted: SearchParams }) => (
  <>
    {parametersOf({ ...wanted, isExact: false }).map(([name, value]) => (
      <input key={name} type="hidden" name={name} value={value} />
    ))}
  </>
)
