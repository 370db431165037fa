import type { RunningService } from '../../server/dist/start.js'
import type { Random } from './random.ts'

/** From Sunday on: people browse at work. */
const WEEKDAYS = [0.45, 1, 1.1, 1.15, 1.05, 0.9, 0.5] as const
/** For the most popular listing on a good day. */
const VIEWS_MAX = 20
const CLICKS_PER_VIEW = 0.13

/** A browser's headers, since programs are not counted. */
const BROWSER = {
  accept: 'text/html',
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
}

/**
 * Lets people view listings for a day. Some of them click through to the website.
 *
 * @param slugs of the listings, most popular first
 */
export async function lookAround(
  { app }: RunningService,
  slugs: readonly string[],
  day: Date,
  random: Random,
): Promise<void> {
  const weekday = WEEKDAYS[day.getUTCDay()] ?? 1
  for (const [nth, slug] of slugs.entries()) {
    const views = Math.round((VIEWS_MAX / (nth + 1) ** 0.7) * weekday * random.between(0.6, 1.2))
    for (let view = 0; view < views; view++) {
      // Each request is another person.
      const headers = { ...BROWSER, 'x-forwarded-for': `10.${nth}.${view >> 8}.${view & 255}` }
      await app.inject({ url: `/product/${slug}`, headers })
      if (random.next() < CLICKS_PER_VIEW) await app.inject({ url: `/visit/${slug}`, headers })
    }
  }
}
