import type { ComponentChildren } from 'preact'
import type { FilterCounts } from '../../domain/listings/search-filters.ts'
import { stockClass } from '../../domain/pictures/posters/stock.ts'
import { parametersOf, pathOf, searchLanguageName, type Wanted } from './wanted.ts'

/** Links that order and narrow the results. Only what occurs among the matches is offered, with its count. */
export function Filters({ wanted, counts }: { wanted: Wanted; counts: FilterCounts }) {
  const { order, category, language } = wanted
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
      {(counts.languages.length > 1 || language !== undefined) && (
        <Choice name="Language">
          <Option wanted={{ ...wanted, language: undefined }} isChosen={language === undefined} name="All" />
          {counts.languages.map(each => (
            <Option
              key={each.language}
              wanted={{ ...wanted, language: each.language }}
              isChosen={language === each.language}
              name={<span data-language={each.language}>{searchLanguageName(each.language)}</span>}
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
    <h2>{name}</h2>
    <ul>{children}</ul>
  </nav>
)

interface OptionProps {
  wanted: Wanted
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
export const FiltersKept = ({ wanted }: { wanted: Wanted }) => (
  <>
    {parametersOf({ ...wanted, isExact: false }).map(([name, value]) => (
      <input key={name} type="hidden" name={name} value={value} />
    ))}
  </>
)
