import {
  APPROVAL_LIFETIME_MS,
  type ApprovalStatus,
  type Check,
  CONTRACT_VERSION,
  DISPLAY_DAYS,
} from '@placard/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import {
  type AskedApproval,
  answerApproval,
  findApproval,
  previewOf,
  statusOfApproval,
} from '../domain/publishing/approvals.ts'
import { PRIVATE_HEADERS, withHeaders } from '../platform/http/headers.ts'
import { approvePath, type Links } from '../platform/http/links.ts'
import { rateLimit } from '../platform/http/rate-limits/rate-limit.ts'
import { requireSameOrigin } from '../platform/http/request-checks.ts'
import { sendHtml } from '../platform/http/send.ts'
import { MINUTE_MS } from '../platform/lib/time.ts'
import { Button, Fact } from './ui/elements.tsx'
import { Layout, renderDocument } from './ui/layout.tsx'
import { ListingPoster } from './ui/listing-poster.tsx'
import type { Needs } from './ui/page-parts.ts'
import { SignPage } from './ui/poster.tsx'
import { Minute, waitText } from './ui/time.tsx'

const VIEWS_PER_MINUTE = 60

/** The page where a customer answers an agent. Opening it changes nothing, because programs open links, too. */
export async function approveRoutes(
  app: FastifyInstance,
  deps: Needs<'links' | 'store' | 'allowances' | 'clock'>,
): Promise<void> {
  const { links, store, clock } = deps
  const limit = rateLimit(deps.allowances, {
    name: 'approvalViewsPerMinutePerIp',
    max: VIEWS_PER_MINUTE,
    windowMs: MINUTE_MS,
  })
  type ApproveRequest = FastifyRequest<{ Params: { code: string } }>
  const url = approvePath(':code')

  app.addHook('onRequest', withHeaders(PRIVATE_HEADERS))

  app.get(url, { onRequest: limit }, async (request: ApproveRequest, reply) => {
    const asked = await findApproval(store, request.params.code)
    const now = clock()
    const status = asked ? statusOfApproval(asked, now) : 'expired'
    const code = asked ? (status === 'expired' ? 410 : 200) : 404
    return sendHtml(reply, code, renderApprove({ links, asked, status, listing: asked && previewOf(asked), now }))
  })

  app.post(url, { onRequest: [requireSameOrigin(links), limit] }, async (request: ApproveRequest, reply) => {
    const { code } = request.params
    const { answer } = (request.body ?? {}) as { answer?: unknown }
    const asked = await findApproval(store, code)
    if (asked && (answer === 'approved' || answer === 'declined')) await answerApproval(store, asked, answer, clock())
    // The page shows what it has come to: the answer may have been too late.
    return reply.redirect(approvePath(asked ? code : 'unknown'), 303)
  })
}

interface ApprovePage {
  links: Links
  /** Undefined if the code is unknown. */
  asked: AskedApproval | undefined
  status: ApprovalStatus
  /** What the listing would show; undefined if the website could not be read. */
  listing: Check['listing']
  now: number
}

/** The page where a customer answers an agent, or what the answer was. It works without JavaScript. */
const renderApprove = ({ links, asked, status, ...page }: ApprovePage): string =>
  renderDocument(
    <Layout
      links={links}
      title={TITLES[status]}
      description="An AI agent asks its customer for approval."
      scripts={['send-once.js']}
    >
      {asked && status === 'waiting' ? (
        <Question asked={asked} links={links} {...page} />
      ) : (
        <Answer asked={asked} status={status} />
      )}
    </Layout>,
  )

const TITLES: Record<ApprovalStatus, string> = {
  waiting: 'May your agent list this website?',
  approved: 'Approved',
  used: 'Approved',
  declined: 'Declined',
  expired: 'This request has expired',
}

function Question({ asked, links, listing, now }: Omit<ApprovePage, 'status'> & { asked: AskedApproval }) {
  const { agent, destination, category, createdAt, expiresAt } = asked
  const { hostname } = new URL(destination)
  return (
    <div class="consent">
      <div class="q">
        <h1>{TITLES.waiting}</h1>
        <p class="who">
          <strong>
            “<bdi>{agent}</bdi>”
          </strong>{' '}
          asks. That is the name it gave itself; <strong>we have not verified it</strong>.
        </p>
      </div>
      <div class="a">
        <dl class="record">
          <Fact name="Website">
            <bdi>{destination}</bdi>
          </Fact>
          {listing?.description && (
            <Fact name="Description" dir="auto">
              {listing.description}
            </Fact>
          )}
          <Fact name="Category">{category}</Fact>
          <Fact name="Public for">{DISPLAY_DAYS} days, free</Fact>
          <Fact name="Asked">
            <Minute at={createdAt} />
          </Fact>
        </dl>
        {!listing && <p class="hint">We couldn’t read the website just now, so there is no preview.</p>}
        <h2>The rules in three lines</h2>
        <ol class="bullets">
          <li>The website is yours, or you are allowed to list it.</li>
          <li>No scams, malware, hate or adult content. We review every page.</li>
          <li>The listing is public. You can take it down at any time.</li>
        </ol>
        <p class="small">
          <a href="/rules">All rules</a>, version {CONTRACT_VERSION}
        </p>
        <form method="post" class="acts decide" data-question>
          <Button look="go" name="answer" value="approved">
            Approve
          </Button>
          <Button name="answer" value="declined">
            Decline
          </Button>
        </form>
        <p class="hint">
          Approving is free{links.site.sellsPlaces && ' and buys nothing'}. If you do nothing, this request expires in{' '}
          {waitText(Math.ceil((expiresAt - now) / 1000))}.
        </p>
      </div>
      {listing && (
        <figure>
          <ListingPoster
            listing={{ ...listing, hostname, category, language: '', pictureVersion: null }}
            note={`${DISPLAY_DAYS} days`}
            isLazy={false}
          />
          <figcaption class="hint">
            {listing.imageUrl
              ? 'The words come from the page. Its own picture will replace this drawing.'
              : 'This is how it will look. The words come from the page.'}
          </figcaption>
        </figure>
      )}
    </div>
  )
}

function Answer({ asked, status }: Pick<ApprovePage, 'asked' | 'status'>) {
  const website = asked && <bdi>{new URL(asked.destination).hostname}</bdi>
  if (status === 'approved' || status === 'used') {
    return (
      <SignPage sign="YES YOU MAY" tone="green" heading={TITLES[status]}>
        <p>
          {status === 'used' ? 'Your agent has used this approval of ' : 'Your agent can now publish '}
          {website}. It gets two links: the public page, and a private one for you alone.
        </p>
        <p>Go back to your agent. You can close this page.</p>
        {status === 'approved' && (
          <form method="post" class="acts">
            <Button name="answer" value="declined">
              Take it back
            </Button>
            <span class="soft small">Possible until the agent publishes.</span>
          </form>
        )}
      </SignPage>
    )
  }
  return status === 'declined' ? (
    <SignPage sign="NOT THIS TIME" heading={TITLES[status]}>
      <p>Nothing was published, and your agent will see that you declined. It can’t ask again with this request.</p>
      <p>You didn’t expect this question? Then you don’t need to do anything else.</p>
    </SignPage>
  ) : (
    <SignPage sign="TOO LATE NOW" tone="ink" heading={TITLES.expired}>
      <p>
        Requests are open for {waitText(APPROVAL_LIFETIME_MS / 1000)}. Nothing was published{website && ' for '}
        {website} with this one.{!asked && ' If it is newer, this address is incomplete: open the whole link.'}
      </p>
      <p>Do you still want the listing? Tell your agent to ask again.</p>
    </SignPage>
  )
}
