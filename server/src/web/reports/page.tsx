import type { DecisionStatement } from '@placard/contract'
import { REPORT_REASONS, type ReportReason } from '../../domain/moderation/reports.ts'
import type { Links } from '../../platform/http/links.ts'
import { Layout, renderDocument } from '../ui/layout.tsx'
import { Message } from '../ui/message.tsx'
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
  /** Why an appeal was not taken, and what was typed. */
  refused?: { message: string; typed: string } | undefined
}

/** What came of a report, for whoever has its link. It says nothing that the listing said. */
export const renderReport = ({ key, report, statement, isReopened, links, refused }: ReportPage): string =>
  renderDocument(
    <Layout links={links} title="Your report" description="What came of a report.">
      <article class="sheet">
        <h1>Your report</h1>
        {refused && <Message>{refused.message}</Message>}
        <p>
          <Minute at={report.createdAt} />: {REPORT_REASONS[report.reason as ReportReason] ?? report.reason}
        </p>
        {statement ? (
          <>
            <Statement statement={statement} />
            {statement.contest.isPossible && <AppealForm action={`/reports/${key}/appeal`} typed={refused?.typed} />}
          </>
        ) : (
          <p>
            {isReopened
              ? 'Your appeal was right, and the report is open again. A person will look at it.'
              : 'Nobody has looked at it yet. A person will, and this page will say what came of it.'}
          </p>
        )}
      </article>
    </Layout>,
  )
