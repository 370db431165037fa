import { chosenGround, type GroundId } from '../../domain/decisions/grounds.ts'
import { statusOf } from '../../domain/listings/listing.ts'
import { hideListing, type Moderated, restoreListing } from '../../domain/moderation/moderate.ts'
import { decisionCommand, type Given, noListing, type Said, UsageError } from './command.ts'
import { factsOf } from './list.ts'

export const hide = decisionCommand({
  name: 'hide',
  does: 'hide a listing; --ground law/illegal-content if the law requires it',
  options: ['ground'],
  more: groundFrom,
  act: async (store, { subject: slug, reason, actor, now }, ground) =>
    moderated(slug, 'was already hidden', await hideListing(store, slug, reason, now, { actor, ground })),
})

export const restore = decisionCommand({
  name: 'restore',
  does: 'show a hidden listing again, or give an ended one a new term',
  act: async (store, { subject: slug, reason, actor, now }) =>
    moderated(slug, 'was neither hidden nor ended', await restoreListing(store, slug, reason, now, { actor })),
})

function moderated(slug: string, unchanged: string, done: Moderated | undefined): Said {
  const { listing, changed } = done ?? noListing(slug)
  const status = statusOf(listing, Date.now())
  const text = `${slug} ${changed ? 'is now' : `${unchanged}; it is`} ${status}.`
  return [{ ...factsOf({ ...listing, status }), changed }, text]
}

/** Returns the ground of `--ground`. @throws UsageError if there is no such ground */
export function groundFrom({ ground: id }: Given): GroundId | undefined {
  const ground = chosenGround(id)
  if (ground || id === undefined) return ground
  throw new UsageError('--ground must be rules/content, law/illegal-content or law/notice')
}
