import { randomUUID } from 'node:crypto'
import {
  CATEGORIES,
  type Category,
  CONTRACT_VERSION,
  type ErrorCode,
  type PublishBody,
  UNAVAILABLE_REASONS,
} from '@placard/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Destination } from '../../domain/destinations/destination.ts'
import { asListed } from '../../domain/ownership/site-owner.ts'
import type { ProofFindings, RunningProof } from '../../domain/ownership/site-proof.ts'
import { submissionOf } from '../../domain/publishing/submission.ts'
import { NotConnected } from '../../domain/review/reviewers/reviewers.ts'
import { OWNER_PROOF } from '../../platform/db/tables/ownership.ts'
import { PRIVATE_HEADERS, withHeaders } from '../../platform/http/headers.ts'
import { LIST_PATH, ownPath } from '../../platform/http/links.ts'
import { Problem } from '../../platform/http/problem.ts'
import { allowance, refusedBy } from '../../platform/http/rate-limits/rate-limit.ts'
import { requireSameOrigin } from '../../platform/http/request-checks.ts'
import { sendHtml } from '../../platform/http/send.ts'
import { isUuid } from '../../platform/lib/text.ts'
import { TEN_MINUTES_MS } from '../../platform/lib/time.ts'
import type { Needs } from '../ui/page-parts.ts'
import { claimListing } from '../ui/private-link.tsx'
import { waitText } from '../ui/time.tsx'
import { readListForm, withoutSecret } from './address-field.tsx'
import { renderSelf, renderSelfListed, SELF_PATH, type SelfPage } from './self-page.tsx'

interface Form {
  destination: Destination
  category: Category
  /** The idempotency key of this page's submission. */
  attempt: string
}

/** Listing a website without an agent: a preview, a proof, and then the publish of the API. */
export async function selfRoutes(
  app: FastifyInstance,
  deps: Needs<
    'check' | 'publish' | 'links' | 'store' | 'serviceKeys' | 'sessions' | 'clock' | 'proofs' | 'allowances' | 'limits'
  >,
): Promise<void> {
  const { links, store, proofs } = deps
  const onRequest = requireSameOrigin(links)
  const limit = allowance(deps.allowances, {
    name: 'selfListingsPerTenMinutesPerIp',
    max: deps.limits.checkoutsPerTenMinutesPerIp,
    windowMs: TEN_MINUTES_MS,
  })

  app.addHook('onRequest', withHeaders(PRIVATE_HEADERS))

  for (const path of [SELF_PATH, `${SELF_PATH}/publish`]) {
    app.get(path, async (_request, reply) => reply.redirect(`${LIST_PATH}#self`, 302))
  }

  app.post(SELF_PATH, { onRequest }, async (request, reply) => {
    const form = readForm(request)
    if (!form) {
      const { address, category } = asGiven(request)
      const asked = new URLSearchParams({ address: withoutSecret(address), category })
      return reply.redirect(`${LIST_PATH}?${asked}`, 303)
    }
    const { destination, category } = form
    const seconds = await refusedBy([limit], request, reply)
    if (seconds !== undefined) return tooMany(reply, form, request, seconds)
    try {
      const found = await deps.check({ destination: destination.url, category }, request)
      if (!found.wouldPublish) {
        const { code, error } = found.publishReply
        const refused = found.alreadyListed ? refusal(destination) : refusal(destination, code, error)
        return show(request, reply, 200, form, { refused })
      }
      return show(request, reply, 200, form, { preview: found.listing })
    } catch (error) {
      // Strangers can use up the checks of a website or network, but checks use up no submissions.
      if (!(error instanceof Problem) || !CHECK_QUOTAS.has(error.code)) return refuse(error, request, reply, form)
      return show(request, reply, error.status, form, { message: NO_PREVIEW })
    }
  })

  app.post(`${SELF_PATH}/publish`, { onRequest }, async (request, reply) => {
    const form = readForm(request)
    if (!form) return reply.redirect(`${LIST_PATH}#self`, 303)
    if ((request.body as { rules?: unknown }).rules !== CONTRACT_VERSION) {
      return show(request, reply, 400, form, { message: 'Please tick the box to agree to the rules.' })
    }
    const destination = await asListed(store.db, form.destination)
    const running = proofs.running(request, destination.key)
    if (!running) return show(request, reply, 400, form, { message: TOKEN_REPLACED })
    const seconds = await refusedBy([limit], request, reply)
    if (seconds !== undefined) return tooMany(reply, form, request, seconds)
    const outcome = await proofs.look(request, destination, running)
    if (!outcome.foundBy) {
      const { findings } = outcome
      return show(request, reply, 422, form, { message: NOT_FOUND, findings })
    }
    try {
      await publishIt(form, running, request)
    } catch (error) {
      return refuse(error, request, reply, form)
    }
    const proof = { ...running, place: outcome.foundBy }
    const claimed = await claimListing(deps, destination, proof, request, reply)
    // Another person is its owner: that page explains it.
    if (claimed.outcome !== 'linked') return reply.redirect(ownPath(destination.url), 303)
    return sendHtml(reply, 200, renderSelfListed(claimed, destination, links))
  })

  /**
   * Publishes the website. If it is listed already, only the proof is carried out. @throws Problem for every other
   * refusal
   */
  async function publishIt(
    { destination, category, attempt }: Form,
    { secret }: RunningProof,
    request: FastifyRequest,
  ): Promise<void> {
    const body: PublishBody = {
      destination: destination.url,
      category,
      approval: { userApproved: true, scope: 'free_listing_publish', rulesVersion: CONTRACT_VERSION },
    }
    // Derived, so that the same page resumes the same submission. The private link comes from the proof.
    const submission = { ...submissionOf(attempt, secret.derive(`self ${attempt}`), body), approvalScope: OWNER_PROOF }
    try {
      await deps.publish(submission, body, request)
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'destination_already_listed') throw error
    }
  }

  function show(
    request: FastifyRequest,
    reply: FastifyReply,
    status: number,
    form: Form,
    { findings = {}, ...page }: Pick<SelfPage, 'preview' | 'message' | 'refused'> & { findings?: ProofFindings },
  ) {
    const { destination, category, attempt } = form
    const proof = { ...proofs.begin(request, reply, destination.key), findings }
    const { refused } = page
    // A stored refusal would answer every repetition, and the website may have changed.
    const key = refused ? randomUUID() : attempt
    return sendHtml(reply, status, renderSelf({ links, destination, category, attempt: key, proof, ...page }))
  }

  function tooMany(reply: FastifyReply, form: Form, request: FastifyRequest, seconds: number) {
    const message = `Your network has tried too often. Please wait ${waitText(seconds)} and try again.`
    return show(request, reply, 429, form, { message })
  }

  function refuse(error: unknown, request: FastifyRequest, reply: FastifyReply, form: Form) {
    if (!(error instanceof Problem) || (error.status >= 500 && error.status !== 503)) throw error
    const { status, retryAfterSeconds } = error
    if (retryAfterSeconds !== undefined) reply.header('retry-after', String(retryAfterSeconds))
    // With 503, nothing is decided, and the same submission continues.
    if (status === 503) return show(request, reply, status, form, { message: undecided(error, form.destination) })
    return show(request, reply, status, form, { refused: refusal(form.destination, error.code, error.message) })
  }

  /** The form as sent; undefined if a part is missing or wrong, which `/list` explains. */
  function readForm(request: FastifyRequest): Form | undefined {
    const { address, category } = asGiven(request)
    const asked = readListForm({ address, category }, links)
    const { attempt } = (request.body ?? {}) as { attempt?: unknown }
    if (!asked?.destination || !asked.category) return undefined
    const key = typeof attempt === 'string' && isUuid(attempt) ? attempt : randomUUID()
    return { destination: asked.destination, category: asked.category, attempt: key }
  }
}

const CHECK_QUOTAS: ReadonlySet<ErrorCode> = new Set(['check_quota_host', 'check_quota_ip'])

/** Refusals that don't depend on the page. The messages of the API tell a program what to do. */
const NOT_NOW: ReadonlyMap<string, string> = new Map<ErrorCode, string>([
  ['quota_ip', 'Your network has reached its daily limit of new listings. Try again after midnight UTC.'],
  ['quota_host', 'This website was submitted too often today. Try again after midnight UTC.'],
  ['quota_global', 'This site has reached its daily limit of new listings. Try again after midnight UTC.'],
  ['submissions_closed', 'New listings are closed.'],
])

function refusal({ url }: Destination, code = '', message = ''): SelfPage['refused'] {
  const notNow = NOT_NOW.get(code)
  return { message: notNow ?? message, isOfPage: notNow === undefined, ownPath: ownPath(url) }
}

function asGiven({ body }: FastifyRequest): { address: string; category: string } {
  const { address, category } = (body ?? {}) as { address?: unknown; category?: unknown }
  const known = CATEGORIES.find(id => id === category)
  return { address: typeof address === 'string' ? address : '', category: known ?? '' }
}

const TOKEN_REPLACED = 'Your token has expired, or your browser did not keep it. Here is a new one.'
const NOT_FOUND = 'We couldn’t find your token on the website yet, so nothing was published.'
const NO_PREVIEW =
  'We can’t show a preview, because this website or your network was checked too often today. You can still publish it.'

/** Returns what a person can do who typed a name without a scheme, which means HTTPS, and any other. */
export function undecided(
  { reason, detail, cause }: Pick<Problem, 'reason' | 'detail' | 'cause'>,
  { url }: Pick<Destination, 'url'>,
): string {
  const isOfSite = reason === 'site_slow' || reason === 'site_unreachable' || reason === 'site_tls'
  const why = isOfSite ? (detail ?? UNAVAILABLE_REASONS[reason]) : 'We couldn’t read or list your website just now.'
  // A website that was connected to has HTTPS.
  const mayLackIt = cause instanceof NotConnected && url.startsWith('https:')
  const hint = mayLackIt ? ' If it has no HTTPS, write http:// before its name.' : ''
  return `${why}${hint} Nothing was decided: try again in a minute.`
}
