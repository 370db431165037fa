import { type Act, type Changed, Changes } from '../../platform/cdn/changes.ts'
import { TAGS } from '../../platform/cdn/tags.ts'
import { SECOND_MS } from '../../platform/lib/time.ts'
import type { JobDefinition } from './job.ts'

/**
 * Purges the CDN of what the last second changed: new listings, and decisions that change or hide listings. Payments
 * are not among them, since the process that records one purges its pages at once.
 */
export const purgeCdn: JobDefinition<'purger'> = {
  name: 'purge',
  does: 'purges the shared cache',
  everyMs: SECOND_MS,
  isOn: ({ purge }) => purge !== undefined,
  start({ purger }) {
    let changes = new Changes()
    return async ({ store, isFirst }) => {
      if (isFirst) changes = new Changes()
      const changed = await changes.look(store)
      // Everything is purged if the process that had the job before may have stopped with purges unsent, and if the
      // database went back: the pages may then show what is no longer in it.
      purger?.add(isFirst || changed.hasGoneBack ? [TAGS.site] : tagsOf(changed))
    }
  },
}

const tagsOf = ({ acts, added }: Changed): string[] => [
  ...acts.flatMap(tagsOfAct),
  ...added.flatMap(({ category }) => [TAGS.home, TAGS.newest, TAGS.listings, TAGS.category(category)]),
]

function tagsOfAct({ kind, slug, category, expiresAt }: Act): string[] {
  const tags = [TAGS.listing(slug), TAGS.home, TAGS.newest, TAGS.search, TAGS.listings, TAGS.category(category)]
  // The decision doesn't record the category that the listing left, so all of them are purged.
  if (kind === 'category') tags.push(TAGS.categories)
  const hasPaidPlace = expiresAt === null
  if (hasPaidPlace) tags.push(TAGS.board('all'), TAGS.board('today'), TAGS.board(category), TAGS.days)
  return tags
}
