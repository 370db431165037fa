import { endFeed, renewFeed } from '../../notices/watch.ts'
import { removeWebhook, renewSecret, saveWebhook, sendTest, turnOn } from '../../notices/webhook.ts'
import { parseWebhookAddress } from '../../notices/webhook-address.ts'
import { goBack, type LinkAction, sendPrivatePage } from './acts.ts'
import { NO_WEBHOOK_ADDRESS, NOT_PUBLISHED } from './notices.ts'

/** What an owner can do to hear of what happens, by the name of the form. */
export const HEAR_ACTS: Record<string, LinkAction> = {
  async feed(deps, visit) {
    await renewFeed(deps, visit.claim, visit.now)
    return goBack(visit, 'feed')
  },

  async 'feed-off'({ store }, visit) {
    await endFeed(store, visit.claim.listing.id)
    return goBack(visit, 'feed-off')
  },

  async webhook(deps, visit) {
    const address = parseWebhookAddress(visit.form.address, deps.links.hostname)
    if (!address) return sendPrivatePage(deps, visit, NO_WEBHOOK_ADDRESS)
    await saveWebhook(deps, visit.claim, address, visit.now)
    return goBack(visit, 'webhook')
  },

  async 'webhook-secret'(deps, visit) {
    await renewSecret(deps, visit.claim.listing.id)
    return goBack(visit, 'webhook-secret')
  },

  async 'webhook-on'(deps, visit) {
    await turnOn(deps, visit.claim.listing.id)
    return goBack(visit, 'webhook-on')
  },

  async 'webhook-remove'({ store }, visit) {
    await removeWebhook(store, visit.claim.listing.id)
    return goBack(visit, 'webhook-remove')
  },
}

/** Apart from the others, since each makes the service post. Whoever was taken down makes it post nothing. */
export const testWebhook: LinkAction = async (deps, visit) => {
  const { store } = deps
  if (visit.claim.listing.hiddenAt !== null) return sendPrivatePage(deps, visit, NOT_PUBLISHED)
  await sendTest(store, visit.claim.listing.id, visit.now)
  return goBack(visit, 'webhook-test')
}
