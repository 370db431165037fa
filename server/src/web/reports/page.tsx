import type { DecisionStatement } from '@placard/contract'
import { REPORT_REASONS, type ReportReason } from '../../domain/moderation/reports.ts'
import type { Links } from '../../platform/http/links.ts'
import { Message } from '../ui/elements.tsx'
import { Layout, renderDocument } from '../ui/layout.tsx'
import { AppealForm, Statement } from '../ui/statement.tsx'
import { Minute } from '../ui/time.tsx'

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
export const renderReport = ({ key, report, statement, isReopened, links, refused }: ReportPage): string =>
  renderDocument(
    <Layout links={links} title="Your report" description="The outcome of a report.">
      <article class="sheet">
        <h1>Your report</h1>
        {refused && <Message>{refused.message}</Message>}
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
