import { REVIEW_REASONS, type ReviewReason } from '@placard/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Lasting, type MonthOfDecisions, readMonths } from '../domain/decisions/counts.ts'
import { REPORT_REASONS, type ReportReason } from '../domain/moderation/reports.ts'
import type { Store } from '../platform/db/store.ts'
import { CACHE } from '../platform/http/headers.ts'
import type { Links } from '../platform/http/links.ts'
import { OPEN } from '../platform/http/open-routes.ts'
import { HTML, sendPublic } from '../platform/http/send.ts'
import { cached } from '../platform/lib/cache.ts'
import { monthText } from './boards/day-paths.ts'
import { renderText } from './texts/text-page.tsx'
import { renderOnce } from './ui/layout.tsx'

/** As long as the replies may be cached. */
const KEPT_MS = 300_000

/** What was decided, month by month: as a page, JSON and CSV, from the same counts. */
export function transparencyRoutes(
  app: FastifyInstance,
  { store, links, clock }: { store: Store; links: Links; clock: () => number },
): void {
  const read = cached(() => readMonths(store), {
    name: 'transparency',
    keyOf: () => '',
    max: 1,
    untilOf: (_, now) => now + KEPT_MS,
  })
  const html = renderOnce((months: MonthOfDecisions[]) => renderTransparency(months, links))
  const json = renderOnce((months: MonthOfDecisions[]) => JSON.stringify({ months }))
  const csv = renderOnce(csvOf)
  give('/transparency', html, HTML)
  give('/transparency.json', json, 'application/json; charset=utf-8')
  give('/transparency.csv', csv, 'text/csv; charset=utf-8')

  function give(path: string, render: typeof html, mediaType: string): void {
    app.get(path, OPEN, async (request: FastifyRequest, reply) =>
      sendPublic(request, reply, render(await read('', clock())), { cache: CACHE.text, tags: [], mediaType }),
    )
  }
}

/** One line for each count. It has only months, names and codes of ours, so nothing needs quotes. */
function csvOf(months: MonthOfDecisions[]): string {
  const lines = months.flatMap(({ month, ...counts }) =>
    Object.entries(counts).flatMap(([what, count]) =>
      typeof count === 'number'
        ? [[month, what, '', count]]
        : Object.entries(count ?? {}).map(([name, value]) => [month, what, name, value]),
    ),
  )
  return [['month', 'what', 'reason', 'count'], ...lines].map(line => `${line.join(',')}\r\n`).join('')
}

/** What was decided, month by month. No names, no addresses. */
const renderTransparency = (months: readonly MonthOfDecisions[], links: Links): string =>
  renderText(
    {
      links,
      title: 'Transparency',
      description: `What ${links.site.name} listed, refused and took down, month by month, and how long decisions took.`,
      path: '/transparency',
      lead: 'What we did, month by month.',
    },
    <>
      <p class="note">
        Counted from the record of decisions, in UTC. No names, no addresses. Also as{' '}
        <a href="/transparency.json">JSON</a> and <a href="/transparency.csv">CSV</a>. Each decision is a row of{' '}
        <a href="/proof">the open log</a>, so that no one can change it later.
      </p>
      <h2>By month</h2>
      {months.length === 0 ? <p>No decisions yet.</p> : <ByMonth months={months} />}
      <h2>Why we refused</h2>
      <Reasons
        label="Refusals by reason"
        counts={months.map(({ refused }) => refused)}
        nameOf={reviewReason}
        none="Nothing was refused."
      />
      <h2>What was reported</h2>
      <Reasons
        label="Reports by reason"
        counts={months.map(({ reports }) => reports)}
        nameOf={reportReason}
        none="Nothing was reported."
      />
      <h2>Appeals</h2>
      <Appeals months={months} />
      <h2>How long it took</h2>
      <p>Median and 95th percentile.</p>
      <HowLong months={months} />
      <p class="note">
        <a href="/rules">The rules</a> say what may be listed, and how to appeal a decision.
      </p>
    </>,
  )

function ByMonth({ months }: { months: readonly MonthOfDecisions[] }) {
  return (
    <Table
      label="Decisions by month"
      heads={['Month', 'Listed', 'Refused', 'Reported', 'Taken down', 'Ended early', 'Restored']}
      rows={months.map(({ month, accepted, refused, reports, hidden, endedEarly, restored }) => [
        monthText(month),
        ...[accepted, sum(refused), sum(reports), sum(hidden), endedEarly, restored].map(number),
      ])}
    />
  )
}

function Appeals({ months }: { months: readonly MonthOfDecisions[] }) {
  const contested = months.filter(each => each.appeals + each.appealsUpheld + each.appealsReversed > 0)
  if (contested.length === 0) return <p>There were no appeals.</p>
  return (
    <Table
      label="Appeals by month"
      heads={['Month', 'Appeals', 'Upheld', 'Reversed']}
      rows={contested.map(({ month, appeals, appealsUpheld, appealsReversed }) => [
        monthText(month),
        ...[appeals, appealsUpheld, appealsReversed].map(number),
      ])}
    />
  )
}

interface ReasonsProps {
  label: string
  counts: readonly Record<string, number>[]
  nameOf: (reason: string) => string
  none: string
}

function Reasons({ label, counts, nameOf, none }: ReasonsProps) {
  const totals = new Map<string, number>()
  for (const month of counts) {
    for (const [reason, count] of Object.entries(month)) totals.set(reason, (totals.get(reason) ?? 0) + count)
  }
  if (totals.size === 0) return <p>{none}</p>
  const rows = [...totals].sort(([, a], [, b]) => b - a)
  return (
    <Table
      label={label}
      heads={['Reason', 'Total']}
      rows={rows.map(([reason, count]) => [nameOf(reason), number(count)])}
    />
  )
}

function HowLong({ months }: { months: readonly MonthOfDecisions[] }) {
  const decided = months.filter(each => each.secondsToSettle ?? each.secondsToDecideAppeal)
  if (decided.length === 0) return <p>No report or appeal was decided yet.</p>
  return (
    <Table
      label="Times to decide"
      heads={['Month', 'Reports', 'Appeals']}
      rows={decided.map(({ month, secondsToSettle, secondsToDecideAppeal }) => [
        monthText(month),
        lastingText(secondsToSettle),
        lastingText(secondsToDecideAppeal),
      ])}
    />
  )
}

/** Scrolls if it is wider than the page. The first cell of a row names it. */
function Table({ label, heads, rows }: { label: string; heads: string[]; rows: string[][] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable with the keyboard
    <section class="scroll" tabIndex={0} aria-label={label}>
      <table class="tally">
        <thead>
          <tr>
            {heads.map(head => (
              <th scope="col" key={head}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, ...cells]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {cells.map((cell, place) => (
                <td key={heads[place]}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

const sum = (counts: Record<string, number>): number => Object.values(counts).reduce((total, count) => total + count, 0)

const number = (count: number): string => count.toLocaleString('en')

const reviewReason = (reason: string): string => {
  if (reason === 'destination_already_listed') return 'The address was already listed.'
  return REVIEW_REASONS[reason as ReviewReason] ?? reason
}
const reportReason = (reason: string): string => {
  if (reason === 'failed_review') return 'Its page no longer passed review'
  return REPORT_REASONS[reason as ReportReason] ?? reason
}

function lastingText(lasting: Lasting | null): string {
  return lasting ? `${shortly(lasting.median)}, ${shortly(lasting.p95)}` : '–'
}

function shortly(seconds: number): string {
  if (seconds < 90 * 60) return `${Math.max(1, Math.round(seconds / 60))} min`
  const hours = Math.round(seconds / 3600)
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`
}
