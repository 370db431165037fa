import {
  CHECK_PATH,
  type Check,
  type CheckBody,
  type CheckLimits,
  checkSchema,
  type ErrorCode,
} from '@placard/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../platform/config/config.ts'
import { clientNetworks } from '../../platform/http/client-address.ts'
import type { Links } from '../../platform/http/links.ts'
import { OPEN } from '../../platform/http/open-routes.ts'
import { Problem, withOwnAddress } from '../../platform/http/problem.ts'
import type { Allowances } from '../../platform/http/rate-limits/counter.ts'
import {
  type Allowance,
  allowance,
  limitItem,
  limitRate,
  policyItem,
} from '../../platform/http/rate-limits/rate-limit.ts'
import { requireJson } from '../../platform/http/request-checks.ts'
import { nextMidnight, secondsToMidnight, TEN_MINUTES_MS } from '../../platform/lib/time.ts'
import { type Destination, parseDestination } from '../destinations/destination.ts'
import { pageFields } from '../listings/add-listing.ts'
import { findListed, type Listed, statusOf } from '../listings/listing.ts'
import type { ServiceKeys } from '../ownership/service-keys/service-keys.ts'
import type { FetchLimits } from '../review/fetcher/limits.ts'
import { notYet, type ReviewDependencies, retrySecondsAfter } from '../review/reviewers/reviewers.ts'
import { rejection, review } from './accept.ts'
import {
  attemptsLeft,
  CheckQuotas,
  type CountedAs,
  countedAs,
  type Places,
  quotaProblem,
  readNextPlaces,
} from './quotas.ts'
import { type AcceptableDependencies, requireAcceptable } from './submission.ts'

/** `fetchPage` uses a fetcher of its own. */
export interface CheckDependencies extends ReviewDependencies, AcceptableDependencies {
  links: Links
  allowances: Allowances
  serviceKeys: ServiceKeys
  limits: Config['limits']
  clock: () => number
}

/** For the fetcher of checks, so that publishing never waits for them. */
export const CHECK_FETCH_LIMITS: Partial<FetchLimits> = { atOnceMax: 128, largeBodiesMax: 16 }

/** Shared by all ways to request a check, so that a client has one allowance. */
export interface CheckParts extends CheckDependencies {
  quotas: CheckQuotas
  allowance: Allowance
  /** Pages that timed out, by client. */
  silent: SilentPages
}

export const checkParts = (deps: CheckDependencies): CheckParts => ({
  ...deps,
  quotas: new CheckQuotas(deps.allowances, deps.limits),
  silent: new SilentPages(),
  allowance: allowance(deps.allowances, {
    name: 'checkRequestsPerTenMinutesPerIp',
    max: deps.limits.requestsPerTenMinutesPerIp,
    windowMs: TEN_MINUTES_MS,
    inHeaders: true,
  }),
})

/** Adds POST /api/v1/agent/check: what publish would answer. It reads what publish reads, and writes nothing. */
export function checkRoute(app: FastifyInstance, parts: CheckParts): void {
  app.post<{ Body: CheckBody }>(
    CHECK_PATH,
    { schema: checkSchema, ...OPEN, onRequest: [limitRate(parts.allowance), requireJson] },
    async (request, reply): Promise<Check> => {
      reply.header('cache-control', 'no-store')
      return check(parts, request.body, request, left => addLimitHeaders(reply, left, parts.limits, parts.clock()))
    },
  )
}

/**
 * Checks what a publish would answer.
 *
 * @param request whose client is counted
 * @param onLeft called with the remaining checks of the day, also if this check is refused
 * @throws Problem if the check itself is refused; review_unavailable if the page cannot be reviewed now
 */
export async function check(
  parts: CheckParts,
  body: CheckBody,
  request: FastifyRequest,
  onLeft: (left: CheckLimits) => void = () => {},
): Promise<Check> {
  const { store, links, limits, serviceKeys, clock, quotas } = parts
  const destination = parseDestination(body.destination, links.hostname)
  const now = clock()
  const from = countedAs(request, destination, serviceKeys)
  const places = await readNextPlaces(store, from, now)
  const submission = { destination, category: body.category, from, networks: clientNetworks(request), places }
  try {
    const found = await forecast(parts, submission, now)
    return {
      destination: destination.url,
      ...found,
      remaining: { ...attemptsLeft(places, limits), ...(await quotas.left(from, clock())) },
      remainingUntil: nextMidnight(now),
      chargeCreated: false,
      notice: NOTICE,
    }
  } finally {
    // Not `now`: a check that began yesterday must not restart yesterday's count.
    onLeft(await quotas.left(from, clock()))
  }
}

const NOTICE =
  'Nothing was published, reserved or charged. A publish looks at everything again, so its reply may differ later.'

interface Submission {
  destination: Destination
  category: string
  from: CountedAs
  /** Of the client, broadest first. */
  networks: readonly string[]
  places: Places
}

type Forecast = Pick<Check, 'wouldPublish' | 'publishReply' | 'listing' | 'alreadyListed'>

async function forecast(parts: CheckParts, submission: Submission, now: number): Promise<Forecast> {
  try {
    const listing = await dryRun(parts, submission, now)
    return { wouldPublish: true, publishReply: { status: 201 }, listing }
  } catch (error) {
    if (!(error instanceof Problem) || !FORECAST.has(error.code)) throw error
    const listed = await findListed(parts.store, submission.destination.key)
    return {
      wouldPublish: false,
      publishReply: replyOf(error, parts.links),
      ...(listed && { alreadyListed: shown(listed, parts.links, now) }),
    }
  }
}

/** The refusals of a publish that a check reports. Any other error concerns the check itself. */
const FORECAST: ReadonlySet<ErrorCode> = new Set([
  'submissions_closed',
  'destination_already_listed',
  'quota_ip',
  'quota_host',
  'quota_global',
  'review_rejected',
])

/** Does what publish does with a new submission, in the same order, except for writes. */
async function dryRun(
  parts: CheckParts,
  { destination, category, from, networks, places }: Submission,
  now: number,
): Promise<NonNullable<Check['listing']>> {
  await requireAcceptable(parts, destination, now)
  const past = quotaProblem(places, parts.limits, now)
  if (past) throw past
  const page = `${from.clientHash} ${destination.key}`
  const { fetched, refusal } = await parts.silent.guard(page, parts.clock, async () => {
    await parts.quotas.take(from, parts.clock())
    return review(parts, destination, { networks })
  })
  if (!fetched) throw rejection(refusal)
  const { hostname } = destination
  const { title, description, imageUrl } = pageFields(fetched.page.metadata, { hostname, category })
  return { title, description, ...(imageUrl !== null && { imageUrl }) }
}

function replyOf({ status, code, message, reason, retryAfterSeconds }: Problem, links: Links): Check['publishReply'] {
  return {
    status,
    code,
    error: withOwnAddress(message, links.base),
    ...(reason && { reason }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  }
}

function shown(listed: Listed, links: Links, now: number): NonNullable<Check['alreadyListed']> {
  const status = statusOf(listed, now)
  return { status, ...(status === 'published' && { productUrl: links.product(listed.slug) }) }
}

/** Adds the daily limits of checks to the headers about the rate of requests. */
function addLimitHeaders(reply: FastifyReply, left: CheckLimits, limits: CheckLimits, now: number): void {
  const seconds = secondsToMidnight(now)
  const names = ['checksPerDayPerIp', 'checksPerDayPerHost'] as const
  const policies = names.map(name => policyItem(name, { quota: limits[name], windowSeconds: DAY_SECONDS }))
  const items = names.map(name => limitItem(name, { left: left[name], seconds }))
  reply.header('ratelimit-policy', [reply.getHeader('ratelimit-policy'), ...policies].join(', '))
  reply.header('ratelimit', [reply.getHeader('ratelimit'), ...items].join(', '))
}

const DAY_SECONDS = 24 * 60 * 60

/** How many pages to remember. The one that timed out longest ago is dropped first. */
const PAGES_MAX = 10_000

/**
 * Pages that timed out in a check. After each timeout, a page is left alone for longer. Publishing stores this in the
 * attempt's row. A check writes nothing, so a restart forgets it.
 */
class SilentPages {
  readonly #pages = new Map<string, { timeouts: number; retryAt: number }>()

  /** Runs `read` unless the page must be left alone. @throws Problem review_unavailable, or whatever `read` throws */
  async guard<Result>(page: string, clock: () => number, read: () => Promise<Result>): Promise<Result> {
    const tooEarly = notYet(this.#pages.get(page)?.retryAt, clock())
    if (tooEarly) throw tooEarly
    try {
      const result = await read()
      this.#pages.delete(page)
      return result
    } catch (error) {
      if (!(error instanceof Problem && error.reason === 'site_slow')) throw error
      const retryAfterSeconds = this.#note(page, clock())
      throw error.after(retryAfterSeconds)
    }
  }

  /** @returns the seconds for which the page is left alone */
  #note(page: string, now: number): number {
    const timeouts = (this.#pages.get(page)?.timeouts ?? 0) + 1
    const seconds = retrySecondsAfter(timeouts)
    this.#pages.delete(page)
    this.#pages.set(page, { timeouts, retryAt: now + seconds * 1000 })
    const [oldest] = this.#pages.keys()
    if (this.#pages.size > PAGES_MAX && oldest !== undefined) this.#pages.delete(oldest)
    return seconds
  }
}
