import {
  BOARD_PAGE_MAX,
  BODY_MAX_BYTES,
  CAPABILITIES_PATH,
  CATEGORIES,
  CONTRACT_VERSION,
  DESTINATION_MAX_LENGTH,
  DISPLAY_DAYS,
  MAXIMUM_TARGET_USD,
  MINIMUM_CHARGE_CENTS,
  MINIMUM_TARGET_USD,
  QUOTE_LIFETIME_MS,
  STATEMENT_MAX_LENGTH,
} from '@placard/contract'
import { MESSAGES_PER_MINUTE } from '../../agents/mcp/route.ts'
import { READS_PER_MINUTE } from '../../domain/listings/api.ts'
import { COLLECTIONS_PER_MINUTE } from '../../domain/listings/discovery.ts'
import { SEARCHES_PER_MINUTE } from '../../domain/listings/search.ts'
import { APPEALS_PER_HOUR, DECISIONS_PER_MINUTE } from '../../domain/moderation/appeals/routes.ts'
import { DETAILS_MAX_LENGTH, OPEN_REPORTS_MAX } from '../../domain/moderation/reports.ts'
import type { StripeAccount } from '../../domain/payments/stripe.ts'
import {
  ANSWERS_READ_PER_MINUTE,
  APPROVALS_PER_DAY_PER_NETWORK,
  APPROVALS_PER_TEN_MINUTES,
} from '../../domain/publishing/approval-routes.ts'
import { SUBMISSION_WEBHOOKS_PER_HOUR, SUBMISSIONS_PER_MINUTE } from '../../domain/publishing/submission-routes.ts'
import { DEFAULT_FETCH_LIMITS } from '../../domain/review/fetcher/limits.ts'
import type { Config } from '../../platform/config/config.ts'
import { CLIENT_LIMITS, type ClientLimit, networkMax } from '../../platform/config/limits.ts'
import { EMBED_SECONDS } from '../../platform/http/headers.ts'
import type { Links } from '../../platform/http/links.ts'
import { dollars } from '../../platform/lib/text.ts'
import { RANDOM_PER_MINUTE } from '../browse/routes.ts'
import { ORDER_VIEWS_PER_TEN_MINUTES } from '../checkout/routes.ts'
import { LOOKUPS_PER_MINUTE } from '../list/routes.ts'
import { REPORTS_MAX, REPORTS_PER_DAY_PER_NETWORK } from '../listing/routes.ts'
import { LINKS_PER_HOUR } from '../manage/mail.tsx'
import {
  CATEGORIES_PER_HOUR,
  FOLLOWS_PER_HOUR,
  MAILS_PER_HOUR,
  PROOFS_PER_HOUR,
  REFRESHES_PER_HOUR,
  REFRESHES_PER_HOUR_OF_LISTING,
  RENEWALS_PER_HOUR,
  WEBHOOK_TESTS_PER_HOUR,
} from '../manage/routes.ts'
import { SUGGESTIONS_PER_MINUTE } from '../search/routes.ts'
import { Entry } from '../ui/elements.tsx'
import { lastingText } from '../ui/time.tsx'
import { renderText } from './text-page.tsx'

interface LimitsPage {
  links: Links
  limits: Config['limits']
  /** From `submissionWindow`. It changes only when the window closes, so the page is cached until then. */
  submissions: string
  /** Undefined if no processor is set up. */
  stripe: Pick<StripeAccount, 'name' | 'label'> | undefined
}

/** A limit that counts only where places are for sale. */
const ORDER_VIEWS = 'Views of unpaid orders per client in ten minutes'

/** Limits that no setting changes. */
const FIXED = [
  ['Searches per client in a minute', SEARCHES_PER_MINUTE],
  ['Listings, and boards of days and categories, read by programs, per client in a minute', READS_PER_MINUTE],
  ['Random listings per client in a minute', RANDOM_PER_MINUTE],
  ['Collections of kept listings per client in a minute', COLLECTIONS_PER_MINUTE],
  ['Search suggestions per client in a minute', SUGGESTIONS_PER_MINUTE],
  ['MCP messages per client in a minute', MESSAGES_PER_MINUTE],
  ['Addresses checked before listing, per client in a minute', LOOKUPS_PER_MINUTE],
  ['Requests for approval per client in ten minutes', APPROVALS_PER_TEN_MINUTES],
  ['Requests for approval per network in a day', APPROVALS_PER_DAY_PER_NETWORK],
  ['Requests for approval read per client in a minute', ANSWERS_READ_PER_MINUTE],
  ['Reports per client in ten minutes', REPORTS_MAX],
  ['Reports per network in a day', REPORTS_PER_DAY_PER_NETWORK],
  ['Open reports of a listing per network', OPEN_REPORTS_MAX],
  ['Submissions looked up, and their events, per client in a minute', SUBMISSIONS_PER_MINUTE],
  ['Webhook addresses set per submission in an hour', SUBMISSION_WEBHOOKS_PER_HOUR],
  ['Decisions read per client in a minute', DECISIONS_PER_MINUTE],
  ['Appeals per client in an hour', APPEALS_PER_HOUR],
  [ORDER_VIEWS, ORDER_VIEWS_PER_TEN_MINUTES],
  ['Listing updates from your site per client in an hour', REFRESHES_PER_HOUR],
  ['Listing updates from your site per listing in an hour', REFRESHES_PER_HOUR_OF_LISTING],
  ['Listings shown again, per listing in an hour', REFRESHES_PER_HOUR_OF_LISTING],
  ['Ownership checks on the private page per client, and per listing, in an hour', PROOFS_PER_HOUR],
  ['Private link renewals per client in an hour', RENEWALS_PER_HOUR],
  ['Category changes per client in an hour', CATEGORIES_PER_HOUR],
  ['Feed and webhook changes per client in an hour', FOLLOWS_PER_HOUR],
  ['Webhook tests per listing in an hour', WEBHOOK_TESTS_PER_HOUR],
] as const

/** Limits that count only where owners can get mail. */
const OF_MAIL = [
  ['Mail changes per client, and per listing, in an hour', MAILS_PER_HOUR],
  ['Private links asked for by mail, per client in an hour', LINKS_PER_HOUR],
] as const

/** The limits and the policy in force. */
export const renderLimits = ({ links, limits, submissions, stripe }: LimitsPage): string =>
  renderText(
    {
      links,
      title: 'Limits',
      description: 'The limits and the policy in force: quotas, sizes, and how long a listing stays.',
      path: '/limits',
    },
    <>
      <p class="note">
        These are in force now. Programs read those of publishing and checking from{' '}
        <a href={CAPABILITIES_PATH}>the capabilities</a>.
      </p>
      <h2>New listings</h2>
      <p>
        <strong>{submissions}</strong> Earlier submissions recover their receipt at any time.
      </p>
      <Numbers
        rows={[
          ['A free listing is shown for', `${DISPLAY_DAYS} days`],
          ['Version of contract and rules', CONTRACT_VERSION],
          ['Categories', CATEGORIES.length],
        ]}
      />
      <h2>How often</h2>
      <p>
        A client is an IPv4 address, or the /64 of an IPv6 address. A network is an IPv4 /24 or an IPv6 /48. Over a
        limit you get <code>429</code> with <code>Retry-After</code>. Repeating an accepted request is not a new
        submission.
      </p>
      <Numbers
        rows={[
          ...Object.values<ClientLimit>(CLIENT_LIMITS)
            .filter(({ isOfBuying }) => stripe || !isOfBuying)
            .flatMap(({ limit, counts }) => {
              const row = [counts, limits[limit]] as const
              const ofNetwork = ['New submissions per network in a UTC day', networkMax(limits)] as const
              return limit === 'newAttemptsPerDayPerIp' ? [row, ofNetwork] : [row]
            }),
          ['Ownership checks per client in ten minutes', limits.checkoutsPerTenMinutesPerIp],
          ['Websites listed by their owner, per client in ten minutes', limits.checkoutsPerTenMinutesPerIp],
          ...FIXED.filter(([counts]) => stripe || counts !== ORDER_VIEWS),
          ...(links.site.sendsMail ? OF_MAIL : []),
        ]}
      />
      <h2>How large</h2>
      <Numbers
        rows={[
          ['Request body', `${number(BODY_MAX_BYTES)} bytes`],
          ['Destination', `${DESTINATION_MAX_LENGTH} characters`],
          ['Entries on a page of a board', BOARD_PAGE_MAX],
          ['Text of an appeal', `${number(STATEMENT_MAX_LENGTH)} characters`],
          ['Text of a report', `${number(DETAILS_MAX_LENGTH)} characters`],
        ]}
      />
      <h2>Shown elsewhere</h2>
      <Numbers rows={[['Badges and embeds refresh within', lastingText(EMBED_SECONDS * 1000)]]} />
      <h2>Reading your page</h2>
      <Numbers
        rows={[
          ['Reading a page takes at most', lastingText(DEFAULT_FETCH_LIMITS.totalMs)],
          ['Redirects, within one website', DEFAULT_FETCH_LIMITS.redirectsMax],
        ]}
      />
      {stripe && (
        <>
          <h2>Paid places</h2>
          <Numbers
            rows={[
              ['Lowest total on a board', dollars(MINIMUM_TARGET_USD * 100)],
              ['Highest total on a board', `$${number(MAXIMUM_TARGET_USD)}`],
              ['Smallest payment', dollars(MINIMUM_CHARGE_CENTS)],
              ['A quote holds for at most', lastingText(QUOTE_LIFETIME_MS)],
              ['Currency', 'US dollars'],
              ['Payment processor', stripe.label],
            ]}
          />
        </>
      )}
      {stripe?.name === 'sandbox' && (
        <p class="callout">The sandbox imitates a payment processor. It moves no money.</p>
      )}
      {stripe && (
        <ul>
          <li>No API operation charges. A person confirms every payment, in a browser.</li>
          <li>No card is stored, and no payment happens unattended.</li>
          <li>
            Rank comes from verified payments alone: see <a href="/how-boards-work">how boards work</a>.
          </li>
        </ul>
      )}
      <p class="note">
        The <a href="/api#errors">API reference</a> explains each error; <a href="/rules">the rules</a> say what may be
        listed.
      </p>
    </>,
  )

function Numbers({ rows }: { rows: (readonly [what: string, value: string | number])[] }) {
  return (
    <dl class="numbers">
      {rows.map(([what, value]) => (
        <Entry name={what} key={what}>
          {typeof value === 'number' ? number(value) : value}
        </Entry>
      ))}
    </dl>
  )
}

const number = (value: number) => value.toLocaleString('en')
