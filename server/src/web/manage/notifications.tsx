import { endFeed, feedTokenOf, findWatch, renewFeed } from '../../domain/notifications/owner/feed.ts'
import {
  type MailSaved,
  parseMailAddress,
  saveMail,
  turnMailOff,
} from '../../domain/notifications/owner/mail-address.ts'
import { MAIL_CHOICES } from '../../domain/notifications/owner/plan-mail.ts'
import {
  ADDRESS_MAX_LENGTH,
  findWebhook,
  parseWebhookAddress,
  removeWebhook,
  renewSecret,
  saveWebhook,
  sendTest,
  turnOn,
  type Webhook,
  webhookSecretOf,
} from '../../domain/notifications/owner/webhook.ts'
import type { Claim } from '../../domain/ownership/claims.ts'
import type { Links } from '../../platform/http/links.ts'
import { echoedAddress, echoedText } from '../list/address-field.tsx'
import { Copied } from '../listing/share.tsx'
import { Button, ButtonLink, Field, Form, Section } from '../ui/elements.tsx'
import { Minute } from '../ui/time.tsx'
import type { LinkAction, PrivatePageDependencies, Visit } from './acts.ts'
import { MailForm, readMail } from './mail-form.tsx'
import {
  type DoneCode,
  MAIL_TOO_SOON,
  NO_MAIL_ADDRESS,
  NO_WEBHOOK,
  NO_WEBHOOK_ADDRESS,
  NOT_PUBLISHED,
  type Notice,
} from './messages.ts'

export type OwnerNotifications = Awaited<ReturnType<typeof readNotifications>>

/** Reads how an owner gets notifications, with what was entered in a form that is sent back, to correct it. */
export async function readNotifications(deps: PrivatePageDependencies, { claim, act, form, now }: Visit) {
  const { store, serviceKeys } = deps
  const [watch, webhook, mail] = await Promise.all([
    findWatch(store.db, claim.listing.id),
    findWebhook(store.db, claim.listing.id),
    readMail(deps, claim.listing.id, now),
  ])
  return {
    feedToken: feedTokenOf(serviceKeys, claim, watch),
    webhook,
    webhookAddress: (act === 'webhook' && echoedAddress(form.address, ADDRESS_MAX_LENGTH)) || webhook?.url,
    webhookSecret: webhook && webhookSecretOf(serviceKeys, webhook),
    mail: mail && act === 'mail' ? { ...mail, typed: echoedText(form.address), choices: chosenIn(form) } : mail,
  }
}

interface NotificationsProps {
  claim: Claim
  /** Whether the listing is published. Otherwise, only mail that is on is shown: its owner can end it. */
  isUp: boolean
  notifications: OwnerNotifications
  links: Links
}

/** How owners get notifications, without an account. */
export function Notifications({ claim: { claimId, listing }, isUp, notifications, links }: NotificationsProps) {
  const path = `/manage/${claimId}`
  const { feedToken, mail } = notifications
  if (!isUp && !mail?.address && !mail?.waiting) return null
  const { sellsPlaces } = links.site
  const why = `${sellsPlaces ? 'When another listing overtakes you, a' : 'A'} week before your listing ends, and if your page no longer loads.`
  return (
    <Section id="hear" title="Notifications" note={<p class="small soft">{why}</p>}>
      <ul class="acts-list">
        {mail && <MailForm path={path} mail={mail} sellsPlaces={sellsPlaces} />}
        {isUp && <Feed path={path} address={feedToken && links.noticeFeed(feedToken)} />}
        {isUp && <WebhookForm path={path} notifications={notifications} />}
        {isUp && listing.expiresAt !== null && <Calendar href={links.endCalendar(listing.slug)} />}
      </ul>
    </Section>
  )
}

const Feed = ({ path, address }: { path: string; address: string | undefined }) => (
  <li>
    <div>
      <h3>Private feed</h3>
      <p>
        An Atom feed for your feed reader. Anyone with its address can read it, but do nothing else. It ends when you
        renew the private link.
      </p>
    </div>
    <Form action={`${path}/feed`}>
      {address && <Copied id="feed-address" name="Address of the feed" value={address} />}
      <p class="btns">
        <Button>{address ? 'Change the address' : 'Get a feed'}</Button>
        {address && <Button formAction={`${path}/feed-off`}>Turn off</Button>}
      </p>
    </Form>
  </li>
)

const Calendar = ({ href }: { href: string }) => (
  <li>
    <div>
      <h3>Calendar</h3>
      <p>The end of your listing, with a reminder a week before.</p>
    </div>
    <p>
      <ButtonLink href={href} download>
        Add to your calendar
      </ButtonLink>
    </p>
  </li>
)

function WebhookForm({ path, notifications }: { path: string; notifications: OwnerNotifications }) {
  const { webhook, webhookAddress, webhookSecret } = notifications
  /** A button that needs no address. */
  const act = (name: string, words: string, look?: string) => (
    <Button look={look} formNoValidate formAction={`${path}/webhook-${name}`}>
      {words}
    </Button>
  )
  return (
    <li>
      <div>
        <h3>Webhook</h3>
        <p>
          For programs: we post each event to your server, signed per{' '}
          <a href="https://www.standardwebhooks.com/">Standard Webhooks</a>.{' '}
          <a href="/api#webhooks">What the events look like</a>.
        </p>
        {webhook && <WebhookState webhook={webhook} />}
      </div>
      <Form action={`${path}/webhook`}>
        <Field
          label="Address of your server"
          type="url"
          id="webhook-address"
          name="address"
          value={webhookAddress}
          placeholder="https://"
          autocomplete="off"
          maxLength={ADDRESS_MAX_LENGTH}
          required
        />
        <p class="btns">
          <Button>{webhook ? 'Change the address' : 'Add a webhook'}</Button>
          {webhook && (webhook.offAt === null ? act('test', 'Send a test') : act('on', 'Turn it on again', 'go'))}
          {webhook && act('remove', 'Remove', 'danger')}
        </p>
        {webhookSecret && (
          <details>
            <summary>Signing secret</summary>
            <Copied id="webhook-secret" name="Your server checks signatures with it" value={webhookSecret} />
            <p>{act('secret', 'Change the secret')}</p>
          </details>
        )}
      </Form>
    </li>
  )
}

const WHY_OFF = {
  gone: 'It answered 410, which means gone.',
  failing: 'Every delivery failed for a day.',
  key_lost: 'We lost the key for its secret. If you turn it on again, it gets a new secret.',
} as const

function WebhookState({ webhook: { offAt, offBecause, lastTriedAt, lastStatus } }: { webhook: Webhook }) {
  if (offAt !== null) {
    return (
      <p class="callout">
        <strong>
          We turned it off on <Minute at={offAt} />.
        </strong>{' '}
        {offBecause && WHY_OFF[offBecause]}
      </p>
    )
  }
  if (lastTriedAt === null) return <p>Nothing sent yet.</p>
  return (
    <p>
      Last sent <Minute at={lastTriedAt} />: {lastStatus === null ? 'no answer' : `status ${lastStatus}`}.
    </p>
  )
}

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
    return (await renewSecret(deps, claim.listing.id)) ? 'webhook-secret' : NO_WEBHOOK
  },

  async 'webhook-on'(deps, { claim }) {
    return (await turnOn(deps, claim.listing.id)) ? 'webhook-on' : NO_WEBHOOK
  },

  async 'webhook-remove'({ store }, { claim }) {
    await removeWebhook(store, claim.listing.id)
    return 'webhook-remove'
  },
} satisfies Record<string, LinkAction>

/** Has its own limit, because each test makes Placard send a request. A hidden listing sends no test event. */
export const testWebhook: LinkAction = async ({ store }, { claim, now }) => {
  if (claim.listing.hiddenAt !== null) return NOT_PUBLISHED
  const webhook = await findWebhook(store.db, claim.listing.id)
  if (webhook?.offAt !== null) return NO_WEBHOOK
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
  return SAVED[await saveMail(deps, claim, { address, choices: chosenIn(form) }, now)]
}

const chosenIn = (form: Visit['form']) => MAIL_CHOICES.filter(choice => form[choice] === 'yes')

export const mailOff: LinkAction = async ({ store }, { claim, now }) => {
  await store.transact(trx => turnMailOff(trx, claim.listing.id, now))
  return 'mail-off'
}
