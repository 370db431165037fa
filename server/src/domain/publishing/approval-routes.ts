import {
  APPROVAL_NOTICES,
  APPROVAL_WAIT_MAX_SECONDS,
  APPROVALS_PATH,
  type Approval,
  type ApprovalBody,
  approvalSchema,
  askApprovalSchema,
  type CheckBody,
  type ErrorCode,
} from '@placard/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Store } from '../../platform/db/store.ts'
import { broadestNetwork } from '../../platform/http/client-address.ts'
import { approvePath, type Links } from '../../platform/http/links.ts'
import { Problem } from '../../platform/http/problem.ts'
import { rateLimit } from '../../platform/http/rate-limits/rate-limit.ts'
import { rejectCrossOrigin, requireJson } from '../../platform/http/request-checks.ts'
import { Repeated } from '../../platform/lib/repeat.ts'
import { plainText } from '../../platform/lib/text.ts'
import { daysMs, MINUTE_MS, TEN_MINUTES_MS } from '../../platform/lib/time.ts'
import { parseDestination } from '../destinations/destination.ts'
import { type AskedApproval, addApproval, answeredOf, findApproval, previewOf, statusOfApproval } from './approvals.ts'
import { type CheckParts, check } from './check.ts'

/** Requests for approval per client, and per day of a client's broadest network. */
export const APPROVALS_PER_TEN_MINUTES = 10
export const APPROVALS_PER_DAY_PER_NETWORK = 100
export const ANSWERS_READ_PER_MINUTE = 60

/** Adds POST /api/v1/agent/approvals, by which an agent asks its customer, and GET …/{code} for the answer. */
export function approvalRoutes(app: FastifyInstance, parts: CheckParts): void {
  const { store, links, clock, allowances } = parts
  const stopping = new AbortController()
  const waiting = new Waiting(store, err => app.log.warn({ err }, 'could not look for answers to agents'))
  waiting.looking.start(LOOK_EVERY_MS)
  app.addHook('preClose', async () => stopping.abort())
  app.addHook('onClose', () => waiting.looking.close())
  const limit = (name: string, max: number, windowMs: number) => ({ name, max, windowMs, inHeaders: true })

  app.route<{ Body: ApprovalBody }>({
    method: 'POST',
    url: APPROVALS_PATH,
    schema: askApprovalSchema,
    onRequest: [
      rejectCrossOrigin(links),
      // First, so that one client can't use up the day of its network.
      rateLimit(allowances, limit('approvalsPerTenMinutesPerIp', APPROVALS_PER_TEN_MINUTES, TEN_MINUTES_MS)),
      rateLimit(allowances, {
        name: 'approvalsPerDayPerNetwork',
        max: APPROVALS_PER_DAY_PER_NETWORK,
        windowMs: daysMs(1),
        keyOf: broadestNetwork,
      }),
      requireJson,
    ],
    handler: async (request, reply): Promise<Approval> => {
      const destination = parseDestination(request.body.destination, links.hostname)
      const { category } = request.body
      const agent = plainText(request.body.agent, request.body.agent.length)
      if (agent === '') throw new Problem('invalid_body', { field: 'agent', detail: 'agent has no letters.' })
      const listing = await preview(parts, { destination: destination.url, category }, request)
      const now = clock()
      const { code, approval } = await addApproval(store, { destination, category, agent, listing }, now)
      reply.code(201).header('cache-control', 'no-store')
      return approvalOf(approval, code, links, now)
    },
  })

  app.route<{ Params: { code: string } }>({
    method: 'GET',
    url: `${APPROVALS_PATH}/:code`,
    schema: approvalSchema,
    onRequest: [
      rejectCrossOrigin(links),
      rateLimit(allowances, limit('approvalsReadPerMinutePerIp', ANSWERS_READ_PER_MINUTE, MINUTE_MS)),
    ],
    handler: async (request, reply): Promise<Approval> => {
      reply.header('cache-control', 'no-store')
      const { code } = request.params
      let asked = await findApproval(store, code)
      const waitMs = asked ? Math.min(preferredWaitMs(request), asked.expiresAt - clock()) : 0
      if (asked?.state === 'waiting' && waitMs > 0) {
        const gone = new AbortController()
        reply.raw.once('close', () => gone.abort())
        const end = AbortSignal.any([gone.signal, stopping.signal, AbortSignal.timeout(waitMs)])
        const hasWaited = await waiting.wait(asked.codeHash, broadestNetwork(request), end)
        if (hasWaited) reply.header('preference-applied', `wait=${Math.ceil(waitMs / 1000)}`)
        asked = await findApproval(store, code)
      }
      if (!asked) throw new Problem('not_found', { message: UNKNOWN })
      return approvalOf(asked, code, links, clock())
    },
  })
}

const UNKNOWN =
  'There is no request for approval with this code. It may be too old. Ask again with POST /api/v1/agent/approvals.'

/** Errors that only mean that the page is not read now. Strangers can use up the checks of a website. */
const NO_PREVIEW: ReadonlySet<ErrorCode> = new Set(['check_quota_ip', 'check_quota_host', 'review_unavailable'])

/** Returns what the listing would show, if it can be read now. @throws Problem if a publish would be refused */
async function preview(parts: CheckParts, body: CheckBody, request: FastifyRequest): Promise<Approval['listing']> {
  try {
    const { listing, publishReply, alreadyListed } = await check(parts, body, request)
    const { code, error: message = '', ...refusal } = publishReply
    if (code !== undefined) {
      throw new Problem(code as ErrorCode, { ...refusal, message, productUrl: alreadyListed?.productUrl })
    }
    return listing
  } catch (error) {
    if (error instanceof Problem && NO_PREVIEW.has(error.code)) return undefined
    throw error
  }
}

/** Returns the milliseconds in `Prefer: wait=…` (RFC 7240), at most as long as a request may wait; 0 if absent. */
function preferredWaitMs({ headers: { prefer } }: FastifyRequest): number {
  const [, seconds = '0'] = /(?:^|[,;\s])wait=(\d{1,3})(?:$|[,;\s])/i.exec(String(prefer ?? '').slice(0, 200)) ?? []
  return Math.min(Number(seconds), APPROVAL_WAIT_MAX_SECONDS) * 1000
}

function approvalOf(asked: AskedApproval, code: string, links: Links, now: number): Approval {
  const { destination, category, expiresAt } = asked
  const status = statusOfApproval(asked, now)
  const listing = previewOf(asked)
  return {
    code,
    approvalUrl: links.base + approvePath(code),
    status,
    destination,
    category,
    expiresAt,
    ...(listing && { listing }),
    chargeCreated: false,
    notice: APPROVAL_NOTICES[status],
  }
}

const LOOK_EVERY_MS = 1000
const WAITERS_MAX = 200
const WAITERS_PER_NETWORK_MAX = 10

interface Waiter {
  codeHash: string
  network: string
  wake(): void
}

/** Requests that wait for answers. One query per second serves them all, and none runs if none waits. */
class Waiting {
  readonly #waiters = new Set<Waiter>()
  readonly looking: Repeated

  constructor(store: Store, failed: (error: unknown) => void) {
    this.looking = new Repeated(async () => {
      if (this.#waiters.size === 0) return
      const answered = await answeredOf(store, [...new Set([...this.#waiters].map(({ codeHash }) => codeHash))])
      for (const { codeHash, wake } of this.#waiters) if (answered.has(codeHash)) wake()
    }, failed)
  }

  /** Waits for an answer, or for the signal. @returns false without waiting if too many wait already */
  async wait(codeHash: string, network: string, end: AbortSignal): Promise<boolean> {
    const ofNetwork = [...this.#waiters].filter(waiter => waiter.network === network).length
    const isFull = this.#waiters.size >= WAITERS_MAX || ofNetwork >= WAITERS_PER_NETWORK_MAX
    if (isFull || end.aborted) return false
    const { promise, resolve } = Promise.withResolvers<void>()
    const waiter = { codeHash, network, wake: resolve }
    end.addEventListener('abort', () => resolve())
    this.#waiters.add(waiter)
    await promise
    this.#waiters.delete(waiter)
    return true
  }
}
