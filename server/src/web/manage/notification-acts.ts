import { endFeed, renewFeed } from '../../domain/notifications/owner/feed.ts'
import { endMail, type MailSaved, parseMailAddress, saveMail } from '../../domain/notifications/owner/mail-address.ts'
import { MAIL_CHOICES } from '../../domain/notifications/owner/plan-mail.ts'
import {
  parseWebhookAddress,
  removeWebhook,
  renewSecret,
  saveWebhook,
  sendTest,
  turnOn,
} from '../../domain/notifications/owner/webhook.ts'
import type { LinkAction } from './acts.ts'
import {
  type DoneCode,
  MAIL_TOO_SOON,
  NO_MAIL_ADDRESS,
  NO_WEBHOOK_ADDRESS,
  NOT_PUBLISHED,
  type Notice,
} from './messages.ts'

/** The owner's actions for feed and webhook, by the name of the form. */
export const FEED_AND_WEBHOOK = {
  async feed(deps, { claim, now }) {
    await renewFeed(deps, claim, now)
    return 'feed'
  },

  async 'feed-off'({ store }, { claim }) {
    await endFeed(store, claim.listing.id)
    return 'feed-off'
  },

  async webhook(deps, { claim, form, now }) {
    const address = parseWebhookAddress(form.address, deps.links.hostname)
    if (!address) return NO_WEBHOOK_ADDRESS
    await saveWebhook(deps, claim, address, now)
    return 'webhook'
  },

  async 'webhook-secret'(deps, { claim }) {
    await renewSecret(deps, claim.listing.id)
    return 'webhook-secret'
  },

  async 'webhook-on'(deps, { claim }) {
    await turnOn(deps, claim.listing.id)
    return 'webhook-on'
  },

  async 'webhook-remove'({ store }, { claim }) {
    await removeWebhook(store, claim.listing.id)
    return 'webhook-remove'
  },
} satisfies Record<string, LinkAction>

/** Has its own limit, because each test makes Placard send a request. A hidden listing sends no test event. */
export const testWebhook: LinkAction = async ({ store }, { claim, now }) => {
  if (claim.listing.hiddenAt !== null) return NOT_PUBLISHED
  await sendTest(store, claim.listing.id, now)
  return 'webhook-test'
}

const SAVED: Record<MailSaved, Notice | DoneCode> = {
  saved: 'mail',
  asked: 'mail-asked',
  waiting: 'mail-asked',
  too_soon: MAIL_TOO_SOON,
  no_address: NO_MAIL_ADDRESS,
}

/** Saves the address and the choices of the form. */
export const mail: LinkAction = async (deps, { claim, form, now }) => {
  const typed = form.address
  const isTyped = typeof typed === 'string' && typed.trim() !== ''
  const address = isTyped ? parseMailAddress(typed) : undefined
  if (isTyped && address === undefined) return NO_MAIL_ADDRESS
  const choices = MAIL_CHOICES.filter(choice => form[choice] === 'yes')
  return SAVED[await saveMail(deps, claim, { address, choices }, now)]
}

export const mailOff: LinkAction = async ({ store }, { claim }) => {
  await store.transact(trx => endMail(trx, claim.listing.id))
  return 'mail-off'
}
