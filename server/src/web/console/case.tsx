import type { ComponentChildren } from 'preact'
import { statusOf } from '../../domain/listings/listing.ts'
import type { Act } from '../../domain/moderation/console/act.ts'
import type { Case, OpenReport, QueueFilter } from '../../domain/moderation/console/queue.ts'
import { findingText, type OpenFinding } from '../../domain/moderation/findings.ts'
import { Button, ButtonLink } from '../ui/elements.tsx'
import { knownLanguage } from '../ui/format.ts'
import { Thumb } from '../ui/poster.tsx'
import { Age } from '../ui/time.tsx'
import { AppealCase, PaymentCase } from './appeals-and-payments.tsx'
import { type Back, blocksPath, caseValue } from './request.ts'
import { reportReason, reportsOf, whyOf } from './words.ts'

/** The form that the buttons of all cases on a page belong to. */
export const QUEUE_FORM = 'queue'

interface CaseProps {
  found: Case
  now: number
  filter: QueueFilter
  /** Whether its box for acts on several is ticked. */
  isSelected?: boolean
}

/** A listing with its pending items, and the buttons to decide. */
export function CaseArticle({ found, now, filter, isSelected = false }: CaseProps) {
  const { listing } = found
  const { slug, title } = listing
  const value = caseValue(found)
  return (
    <article class={`case${listing.hiddenAt === null ? '' : ' hid'}`} aria-labelledby={`case-${slug}`} tabIndex={-1}>
      <div>
        <div class="case-sub">
          <Thumb listing={listing} />
          <div>
            <p class="case-why">{whyOf(found)}</p>
            <h2 id={`case-${slug}`} dir="auto" lang={knownLanguage(listing.language)}>
              <a href={`/console/listing/${slug}`}>{title}</a>
            </h2>
            <Host listing={listing} />
            <p class="clamp3" dir="auto" lang={knownLanguage(listing.language)}>
              {listing.description}
            </p>
          </div>
        </div>
      </div>
      <Evidence found={found} now={now} back={filter} />
      <div class="case-do">
        <Acts found={found} now={now} />
        <BlockLink found={found} />
        <label class="check case-pick">
          <input type="checkbox" name="case" value={value} form={QUEUE_FORM} checked={isSelected} />
          <span>
            Select<span class="unseen"> {title}</span>
          </span>
        </label>
      </div>
    </article>
  )
}

/** The website. It opens in the same tab, and does not learn that the visitor comes from the console. */
export const Host = ({ listing: { url, hostname, category } }: Pick<Case, 'listing'>) => (
  <p class="host">
    <a href={url} rel="noopener noreferrer nofollow">
      <bdi dir="ltr">{hostname}</bdi>
    </a>{' '}
    · {category}
  </p>
)

/** What can be done about a listing in one tap. */
export function Acts({ found, now }: { found: Case; now: number }) {
  const status = statusOf(found.listing, now)
  const isHidden = status === 'unavailable'
  return (
    <>
      <Do act={isHidden ? 'restore' : 'hide'} found={found}>
        {isHidden ? 'Restore' : 'Hide now'}
      </Do>
      {status === 'expired' && (
        <Do act="restore" found={found}>
          Start a new term
        </Do>
      )}
      {reportsOf(found) + found.findings.length > 0 && (
        <Do act="keep" found={found}>
          {isHidden ? 'Keep hidden' : 'Leave it up'}
        </Do>
      )}
    </>
  )
}

/** Links to the page that blocks its host, which first shows the other listings of that host. */
export const BlockLink = ({ found: { listing } }: { found: Case }) => (
  <ButtonLink look="low" href={blocksPath({ host: listing.hostname, subdomains: false })}>
    Block its host<span class="unseen"> {listing.hostname}</span>
  </ButtonLink>
)

function Do({ act, found, children }: { act: Act; found: Case; children: ComponentChildren }) {
  return (
    <Button look={act === 'keep' ? undefined : 'ink'} form={QUEUE_FORM} name={act} value={caseValue(found)}>
      {children}
      <span class="unseen"> {found.listing.title}</span>
    </Button>
  )
}

/** What is open about a listing: findings, reports, appeals, payments. */
export function Evidence({ found, now, back }: { found: Case; now: number; back: Back }) {
  const { listing, reports, findings, appeals, payments } = found
  const more = reportsOf(found) - reports.length
  return (
    <div class="case-evidence">
      {listing.hiddenAt !== null && (
        <p class="small">
          Hidden <Age at={listing.hiddenAt} now={now} />: <span dir="auto">{listing.hiddenReason}</span>
        </p>
      )}
      {findings.map(finding => (
        <FindingQuote key={finding.id} finding={finding} now={now} />
      ))}
      {reports.map(report => (
        <ReportQuote key={report.id} report={report} now={now} />
      ))}
      {more > 0 && <p class="small soft">and {more.toLocaleString('en')} more</p>}
      {appeals.map(contested => (
        <AppealCase key={contested.id} contested={contested} now={now} back={back} />
      ))}
      {payments.map(payment => (
        <PaymentCase key={payment.paymentId} payment={payment} back={back} />
      ))}
      {reports.length + findings.length + appeals.length + payments.length === 0 && (
        <p class="soft">Nothing is open.</p>
      )}
    </div>
  )
}

function ReportQuote({ report: { reason, details, contact, createdAt }, now }: { report: OpenReport; now: number }) {
  return (
    <blockquote>
      {details && <p dir="auto">{details}</p>}
      <p class="host">
        {reportReason(reason)} · <Age at={createdAt} now={now} />
        {contact && (
          <>
            {' · '}
            <bdi>{contact}</bdi>
          </>
        )}
      </p>
    </blockquote>
  )
}

/** Leaves out empty lists. */
const isNamed = ([, value]: [string, unknown]) => !Array.isArray(value) || value.length > 0

/** `titleToUs`: title to us. */
const wordsOf = (name: string) => name.replace(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`)

/** What a review or a recheck of the page has found, with its evidence: plain values by name. */
function FindingQuote({
  finding: {
    kind,
    evidence: { context = [], ...evidence },
    firstSeenAt,
  },
  now,
}: {
  finding: OpenFinding
  now: number
}) {
  return (
    <blockquote>
      <p>{findingText(kind)}.</p>
      {[context].flat().map(words => (
        <p class="case-quote" dir="auto" key={words}>
          {words}
        </p>
      ))}
      <dl class="case-facts">
        {Object.entries(evidence)
          .filter(isNamed)
          .map(([name, value]) => (
            <div key={name}>
              <dt>{wordsOf(name)}</dt>
              <dd dir="auto">{Array.isArray(value) ? value.join(', ') : String(value)}</dd>
            </div>
          ))}
      </dl>
      <p class="host">
        Found automatically · <Age at={firstSeenAt} now={now} />
      </p>
    </blockquote>
  )
}
