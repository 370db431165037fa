import { endFeed, renewFeed } from '../../notices/watch.ts'
import { goBack, type LinkAction } from './acts.ts'

/** Gives the feed a new address, or turns it off. */
export const feed: LinkAction = async (deps, visit) => {
  const { claim, form, now } = visit
  if (form.do === 'off') {
    await endFeed(deps.store, claim.listing.id)
    return goBack(visit, 'feed-off')
  }
  await renewFeed(deps, claim, now)
  return goBack(visit, 'feed')
}
