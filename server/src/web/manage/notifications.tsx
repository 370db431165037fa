import { feedTokenOf, findWatch } from '../../domain/notifications/owner/feed.ts'
import {
  ADDRESS_MAX_LENGTH,
  findWebhook,
  type Webhook,
  webhookSecretOf,
} from '../../domain/notifications/owner/webhook.ts'
import type { Claim } from '../../domain/ownership/claims.ts'
import type { Links } from '../../platform/http/links.ts'
import { Copied } from '../listing/share.tsx'
import { Button, ButtonLink, Field, Form, Section } from '../ui/elements.tsx'
import { Minute } from '../ui/time.tsx'
import type { PrivatePageDependencies } from './acts.ts'
import { MailForm, readMail } from './mail-form.tsx'

export type Hearing = Awaited<ReturnType<typeof readHearing>>

/** Reads how an owner gets notifications. */
export async function readHearing(deps: PrivatePageDependencies, claim: Claim, now: number) {
  const { store, serviceKeys } = deps
  const [watch, webhook, mail] = await Promise.all([
    findWatch(store.db, claim.listing.id),
    findWebhook(store.db, claim.listing.id),
    readMail(deps, claim.listing.id, now),
  ])
  return {
    feedToken: feedTokenOf(serviceKeys, claim, watch),
    webhook,
    webhookSecret: webhook && webhookSecretOf(serviceKeys, webhook),
    mail,
  }
}

interface HearProps {
  claim: Claim
  /** Whether the listing is published. Otherwise, only mail that is on is shown: its owner can end it. */
  isUp: boolean
  hearing: Hearing
  links: Links
}

/** How owners get notifications, without an account. */
export function Hear({ claim: { claimId, listing }, isUp, hearing, links }: HearProps) {
  const path = `/manage/${claimId}`
  const { feedToken, mail } = hearing
  if (!isUp && !mail?.address && !mail?.waiting) return null
  const why = 'When another listing overtakes you, a week before your listing ends, and if your page no longer loads.'
  return (
    <Section id="hear" title="Notifications" note={<p class="small soft">{why}</p>}>
      <ul class="acts-list">
        {mail && <MailForm path={path} mail={mail} />}
        {isUp && <Feed path={path} address={feedToken && links.noticeFeed(feedToken)} />}
        {isUp && <WebhookForm path={path} hearing={hearing} />}
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

function WebhookForm({ path, hearing: { webhook, webhookSecret } }: { path: string; hearing: Hearing }) {
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
          value={webhook?.url}
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
