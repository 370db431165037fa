import { statusOf } from '../listings/listing.ts'
import { hideListing, restoreListing } from '../moderation/moderate.ts'
import { type Command, type Given, readReason, UsageError } from './command.ts'
import { withStore } from './with-store.ts'

const common = { usage: 'SLUG --reason TEXT', words: 1, options: ['reason'] } as const

export const hide: Command = {
  ...common,
  name: 'hide',
  does: 'hide a listing',
  run: (given, slug) => moderate('hide', slug, given),
}

export const restore: Command = {
  ...common,
  name: 'restore',
  does: "show a hidden listing again, or restart an ended one's time",
  run: (given, slug) => moderate('restore', slug, given),
}

async function moderate(name: 'hide' | 'restore', slug: string | undefined, given: Given): Promise<void> {
  if (!slug) throw new UsageError(`${name} needs the slug: the last part of the product page's address`)
  const reason = readReason(name, given)
  const act = name === 'hide' ? hideListing : restoreListing
  await withStore(async store => {
    const moderated = await act(store, slug, reason, Date.now())
    if (!moderated) throw new Error(`there is no listing "${slug}"; "list" shows the slugs`)
    const status = statusOf(moderated.listing, Date.now())
    const already = name === 'hide' ? 'was already hidden' : 'was neither hidden nor ended'
    console.log(`${slug} ${moderated.changed ? 'is now' : `${already}; it is`} ${status}.`)
  })
}
