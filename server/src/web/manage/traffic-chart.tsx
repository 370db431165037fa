import type { DayOfTraffic } from '../../domain/listings/traffic.ts'
import { counted, dayText } from '../../platform/lib/text.ts'
import { Section } from '../ui/elements.tsx'

type Sums = Pick<DayOfTraffic, 'views' | 'clicks'>

/** In units of the drawing, which stretches to the page's width. */
const DAY_WIDTH = 20
const HEIGHT = 100
const BAR_WIDTH = 7

/** Views and clicks per day: a chart drawn on the server, and the same numbers as a table. Takes the oldest day first. */
export function Traffic({ days }: { days: readonly DayOfTraffic[] }) {
  const views = days.reduce((sum, day) => sum + day.views, 0)
  const clicks = days.reduce((sum, day) => sum + day.clicks, 0)
  return (
    <Section
      id="traffic"
      title={`${counted(views, 'view')}, ${counted(clicks, 'click')}`}
      note={
        <p class="small">
          <span class="key">Views</span> <span class="key clicks">Outbound clicks</span>, last {days.length} days
        </p>
      }
    >
      {views + clicks > 0 ? <Chart days={days} views={views} clicks={clicks} /> : <p class="none">None yet.</p>}
      <details class="as-table">
        <summary>Show as a table</summary>
        <TrafficTable days={days} />
      </details>
      <p class="small soft">
        Each address counts as at most one view and one click an hour. We count without cookies, store no addresses and
        leave out robots. Counts are up to date within seconds. Days are UTC. None of this changes a rank.
      </p>
    </Section>
  )
}

function Chart({ days, ...sums }: Sums & { days: readonly DayOfTraffic[] }) {
  const top = roundTop(Math.max(...days.map(day => Math.max(day.views, day.clicks))))
  const width = days.length * DAY_WIDTH
  return (
    <div class="traffic-chart">
      <span class="small soft" aria-hidden="true">
        {top.toLocaleString('en')}
      </span>
      <svg
        class="plot"
        role="img"
        aria-labelledby="traffic-title traffic-desc"
        viewBox={`0 0 ${width} ${HEIGHT}`}
        preserveAspectRatio="none"
      >
        <title id="traffic-title">Views and outbound clicks per day</title>
        <desc id="traffic-desc">{inWords(days, sums)}</desc>
        {[0, 0.5, 1].map(part => (
          <line class="grid" x1="0" x2={width} y1={HEIGHT * part} y2={HEIGHT * part} key={part} />
        ))}
        {days.map((day, index) => (
          <g key={day.day}>
            <Bar kind="v" x={index * DAY_WIDTH + 2.5} height={(day.views / top) * HEIGHT} />
            <Bar kind="c" x={index * DAY_WIDTH + 10.5} height={(day.clicks / top) * HEIGHT} />
          </g>
        ))}
      </svg>
      <p class="ends small soft" aria-hidden="true">
        <span>{dayText(timeOf(days.at(0)))}</span>
        <span>{dayText(timeOf(days.at(-1)))}</span>
      </p>
    </div>
  )
}

function Bar({ kind, x, height }: { kind: 'v' | 'c'; x: number; height: number }) {
  if (height === 0) return null
  const drawn = Math.max(1, Math.round(height * 10) / 10)
  return <rect class={kind} x={x} y={HEIGHT - drawn} width={BAR_WIDTH} height={drawn} />
}

function TrafficTable({ days }: { days: readonly DayOfTraffic[] }) {
  return (
    <table class="traffic-table">
      <caption>Views and outbound clicks per day, newest first</caption>
      <thead>
        <tr>
          <th scope="col">Day</th>
          <th scope="col">Views</th>
          <th scope="col">Clicks</th>
        </tr>
      </thead>
      <tbody>
        {days.toReversed().map(day => (
          <tr key={day.day}>
            <th scope="row">{dayText(timeOf(day))}</th>
            <td>{day.views.toLocaleString('en')}</td>
            <td>{day.clicks.toLocaleString('en')}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function inWords(days: readonly DayOfTraffic[], { views, clicks }: Sums): string {
  const best = days.reduce((most, day) => (day.views > most.views ? day : most))
  const sums = `${counted(views, 'view')} and ${counted(clicks, 'outbound click')} in ${days.length} days.`
  if (best.views === 0) return sums
  return `${sums} Most views on one day: ${best.views.toLocaleString('en')}, on ${dayText(timeOf(best))}.`
}

const timeOf = (day: DayOfTraffic | undefined): number => Date.parse(day?.day ?? '')

/** The smallest of 1, 2, 4, 10, 20, 40, 100… not below a count, so that the middle line is a whole number too. */
function roundTop(most: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, most)))
  return [1, 2, 4, 10].map(step => step * power).find(top => top >= most) ?? most
}
