import type { DecisionStatement } from '@placard/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { proofOfDecision } from '../../domain/log/proofs.ts'
import { APPEAL_MAX_BYTES, APPEALS_PER_HOUR, appealDecision } from '../../domain/moderation/appeals/routes.ts'
import { findDecision, statementOf } from '../../domain/moderation/appeals/statement.ts'
import { type FoundReport, findReport, REPORT_REASONS, type ReportReason } from '../../domain/moderation/reports.ts'
import { SECRET_HEADERS, withHeaders } from '../../platform/http/headers.ts'
import type { Links } from '../../platform/http/links.ts'
import { Problem } from '../../platform/http/problem.ts'
import { allowance, refusedBy } from '../../platform/http/rate-limits/rate-limit.ts'
import { requireSameOrigin } from '../../platform/http/request-checks.ts'
import { sendHtml } from '../../platform/http/send.ts'
import { HOUR_MS } from '../../platform/lib/time.ts'
import { Message } from '../ui/elements.tsx'
import { Layout, renderDocument } from '../ui/layout.tsx'
import { sendProof } from '../ui/log-rows.ts'
import type { Needs } from '../ui/page-parts.ts'
import { AppealForm, COPY_IT, Statement, typedStatement, Unsent } from '../ui/statement.tsx'
import { Minute, waitText } from '../ui/time.tsx'

type ReportRequest = FastifyRequest<{ Params: { key: string } }>

/** The outcome of a report, and appeals against it. Anyone with the link can act as the reporter. */
export async function reportRoutes(
  app: FastifyInstance,
  deps: Needs<'allowances' | 'links' | 'store' | 'clock'>,
): Promise<void> {
  const { store, links, clock } = deps
  const limit = allowance(deps.allowances, {
    name: 'appealsOfReporters',
    max: APPEALS_PER_HOUR,
    windowMs: HOUR_MS,
  })
  app.addHook('onRequest', withHeaders(SECRET_HEADERS))

  app.get('/reports/:key', async (request: ReportRequest, reply) => show(reply, await reportAt(request)))

  app.get('/reports/:key/decision.tlog-proof', async (request: ReportRequest, reply) => {
    const { settledBy } = await reportAt(request)
    if (!settledBy) throw new Problem('not_found')
    return sendProof(reply, settledBy, await proofOfDecision(store, settledBy))
  })

  app.post(
    '/reports/:key/appeal',
    { onRequest: requireSameOrigin(links), bodyLimit: APPEAL_MAX_BYTES },
    async (request: ReportRequest, reply) => {
      const report = await reportAt(request)
      const typed = typedStatement(request.body)
      try {
        const retryAfterSeconds = await refusedBy([limit], request, reply)
        if (retryAfterSeconds !== undefined) {
          const message = `You have tried too often. Try again in ${waitText(retryAfterSeconds)}.`
          throw new Problem('rate_limited', { message, retryAfterSeconds })
        }
        if (!report.settledBy) throw new Problem('not_contestable')
        await appealDecision(store, report.settledBy, typed, 'reporter', clock())
      } catch (error) {
        if (!(error instanceof Problem) || error.status >= 500) throw error
        if (error.retryAfterSeconds !== undefined) reply.header('retry-after', String(error.retryAfterSeconds))
        return show(reply.code(error.status), report, { message: error.message, typed })
      }
      return reply.redirect(`/reports/${request.params.key}`, 303)
    },
  )

  // A refused appeal leaves the browser at this address; reopening it leads back.
  app.get('/reports/:key/appeal', async (request: ReportRequest, reply) => {
    await reportAt(request)
    return reply.redirect(`/reports/${request.params.key}`, 302)
  })

  async function reportAt({ params }: ReportRequest): Promise<FoundReport & { key: string }> {
    const report = await findReport(store.db, params.key)
    if (!report) throw new Problem('not_found')
    return { ...report, key: params.key }
  }

  async function show(
    reply: FastifyReply,
    report: FoundReport & { key: string },
    refused?: { message: string; typed: string },
  ) {
    const settled = report.settledBy ? await findDecision(store.db, report.settledBy) : undefined
    const statement = settled && statementOf(settled, links, clock())
    const { key, isReopened } = report
    return sendHtml(reply, reply.statusCode, renderReport({ key, report, statement, isReopened, links, refused }))
  }
}

interface ReportPage {
  key: string
  report: { reason: string; createdAt: number }
  /** How it was settled; undefined while it is open. */
  statement: DecisionStatement | undefined
  /** Whether an appeal opened it again. */
  isReopened: boolean
  links: Links
  /** Why an appeal was not accepted, and what was typed. */
  refused?: { message: string; typed: string } | undefined
}

/** The outcome of a report, for anyone with its link. It has no content of the listing. */
const renderReport = ({ key, report, statement, isReopened, links, refused }: ReportPage): string =>
  renderDocument(
    <Layout links={links} title="Your report" description="The outcome of a report.">
      <article class="sheet">
        <h1>Your report</h1>
        {refused && <Message>{refused.message}</Message>}
        {refused?.typed && !statement?.contest.isPossible && <Unsent typed={refused.typed} next={COPY_IT} />}
        <p>
          <Minute at={report.createdAt} />: {REPORT_REASONS[report.reason as ReportReason] ?? report.reason}
        </p>
        {statement ? (
          <>
            <Statement statement={statement} />
            <p class="hint">
              <a href={`/reports/${key}/decision.tlog-proof`}>The proof that this decision is in the open log</a>
            </p>
            {statement.contest.isPossible && <AppealForm action={`/reports/${key}/appeal`} typed={refused?.typed} />}
          </>
        ) : (
          <p>
            {isReopened
              ? 'Your appeal was granted, and the report is open again. A person will review it.'
              : 'Your report is not reviewed yet. A person will review it, and this page will show the outcome.'}
          </p>
        )}
      </article>
    </Layout>,
  )
