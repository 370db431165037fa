import { nextMidnight } from '../../time.ts'
import { Clock, clockLeft } from '../ui/time.tsx'

/** The ruler of the day: 24 hours, each as wide, with what is between them. `assets/board.js` moves on the hours passed. */
const HOUR = 17
const BETWEEN = 3
const RULER = { width: 24 * (HOUR + BETWEEN) - BETWEEN, height: 28 }
const DAY_MS = 86_400_000

/** The day as a band, and how much of it is left. It counts down where scripts run, and says when it was so without. */
export function BoardClock({ now }: { now: number }) {
  const endsAt = nextMidnight(now)
  const hoursPassed = 24 - ((endsAt - now) / DAY_MS) * 24
  const passed = Math.floor(hoursPassed) * (HOUR + BETWEEN) + (hoursPassed % 1) * HOUR
  return (
    <section class="on-green clock" aria-label="Time left">
      <div class="wrap">
        <p>
          <strong>Starts again at midnight UTC.</strong> What you pay now counts on this board until then.{' '}
          <span data-still>
            Time left at <Clock at={now} /> UTC:
          </span>
        </p>
        <time class="left" data-ends-at={endsAt} dateTime={duration(endsAt - now)}>
          {clockLeft(endsAt - now)}
        </time>
        <svg
          class="hours"
          viewBox={`0 0 ${RULER.width} ${RULER.height}`}
          preserveAspectRatio="none"
          aria-hidden="true"
        >
          <rect width={RULER.width} height={RULER.height} />
          <rect class="off" data-passed width={passed.toFixed(1)} height={RULER.height} />
          <path class="between" d={BETWEEN_PATH} />
        </svg>
        <p class="ends" aria-hidden="true">
          <span>00:00</span>
          <span>UTC</span>
          <span>24:00</span>
        </p>
      </div>
    </section>
  )
}

const BETWEEN_PATH = Array.from(
  { length: 23 },
  (_, hour) => `M${hour * (HOUR + BETWEEN) + HOUR} 0h${BETWEEN}v${RULER.height}h-${BETWEEN}z`,
).join('')

/** As a machine reads it: PT6H29M. */
function duration(ms: number): string {
  const minutes = Math.ceil(ms / 60_000)
  return `PT${Math.floor(minutes / 60)}H${minutes % 60}M`
}
