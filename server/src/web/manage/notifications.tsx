import { feedTokenOf, findWatch } from '../../domain/notifications/owner/feed.ts'
import {
  ADDRESS_MAX_LENGTH,
  findWebhook,
  type Webhook,
  webhookSecretOf,
} from '../../domain/notifications/owner/webhook.ts'
import type { Claim } from '../../domain/ownership/claims.ts'
import type { ServiceKeys } from '../../domain/ownership/service-keys/service-keys.ts'
import type { Store } from '../../platform/db/store.ts'
import type { Links } from '../../platform/http/links.ts'
import { Copied } from '../listing/share.tsx'
import { Minute } from '../ui/time.tsx'
import { MailForm, type MailState, readMail } from './mail-form.tsx'

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
  return (
    <section class="sec" aria-labelledby="hear">
      <div class="sec-head">
        <h2 id="hear">Notifications</h2>
        <p class="small soft">
          When another listing overtakes you, a week before your listing ends, and if your page no longer loads.
        </p>
      </div>
      <ul class="acts-list">
        {mail && <MailForm path={path} mail={mail} />}
        {isUp && <Feed path={path} address={feedToken && links.noticeFeed(feedToken)} />}
        {isUp && <WebhookForm path={path} hearing={hearing} />}
        {isUp && listing.expiresAt !== null && <Calendar href={links.endCalendar(listing.slug)} />}
      </ul>
    </section>
  )
}

function Feed({ path, address }: { path: string; address: string | undefined }) {
  return (
    <li>
      <div>
        <h3>Private feed</h3>
        <p>
          An Atom feed for your feed reader. Anyone with its address can read it, but do nothing else. It ends when you
          renew the private link.
        </p>
      </div>
      <form method="post" action={`${path}/feed`}>
        {address && <Copied id="feed-address" name="Address of the feed" value={address} />}
        <p class="btns">
          <button class="btn" type="submit">
            {address ? 'Change the address' : 'Get a feed'}
          </button>
          {address && (
            <button class="btn" type="submit" formAction={`${path}/feed-off`}>
              Turn off
            </button>
          )}
        </p>
      </form>
    </li>
  )
}

function Calendar({ href }: { href: string }) {
  return (
    <li>
      <div>
        <h3>Calendar</h3>
        <p>The end of your listing, with a reminder a week before.</p>
      </div>
      <p>
        <a class="btn" href={href} download>
          Add to your calendar
        </a>
      </p>
    </li>
  )
}

function WebhookForm({ path, hearing: { webhook, webhookSecret } }: { path: string; hearing: Hearing }) {
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
      <form method="post" action={`${path}/webhook`}>
        <p class="field">
          <label for="webhook-address">Address of your server</label>
          <input
            type="url"
            id="webhook-address"
            name="address"
            value={webhook?.url}
            placeholder="https://"
            autocomplete="off"
            maxLength={ADDRESS_MAX_LENGTH}
            required
          />
        </p>
        <p class="btns">
          <button class="btn" type="submit">
            {webhook ? 'Change the address' : 'Add a webhook'}
          </button>
          {webhook && <Buttons path={path} isOn={webhook.offAt === null} />}
        </p>
        {webhookSecret && (
          <details>
            <summary>Signing secret</summary>
            <Copied id="webhook-secret" name="Your server checks signatures with it" value={webhookSecret} />
            <p>
              <button class="btn" type="submit" formNoValidate formAction={`${path}/webhook-secret`}>
                Change the secret
              </button>
            </p>
          </details>
        )}
      </form>
    </li>
  )
}

function Buttons({ path, isOn }: { path: string; isOn: boolean }) {
  return (
    <>
      {isOn ? (
        <button class="btn" type="submit" formNoValidate formAction={`${path}/webhook-test`}>
          Send a test
        </button>
      ) : (
        <button class="btn go" type="submit" formNoValidate formAction={`${path}/webhook-on`}>
          Turn it on again
        </button>
      )}
      <button class="btn danger" type="submit" formNoValidate formAction={`${path}/webhook-remove`}>
        Remove
      </button>
    </>
  )
}

const WHY_OFF = {
  gone: 'It answered 410, which means gone.',
  failing: 'Every delivery failed for a day.',
  key_lost: 'We lost the key for its secret. If you turn it on again, it gets a new secret.',
} as const

function WebhookState({ webhook }: { webhook: NonNullable<Hearing['webhook']> }) {
  const { offAt, offBecause, lastTriedAt, lastStatus } = webhook
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

/** How an owner gets notifications. */
export interface Hearing {
  /** Of the listing’s feed, if it has one. */
  feedToken: string | undefined
  webhook: Webhook | undefined
  /** The secret of its webhook, if it has one. */
  webhookSecret: string | undefined
  /** Undefined if the site sends no mail. */
  mail: MailState | undefined
}

export async function readHearing(
  deps: { store: Store; serviceKeys: ServiceKeys; links: Links },
  claim: Claim,
  now: number,
): Promise<Hearing> {
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
