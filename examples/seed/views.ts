import type { RunningService } from '../../server/dist/start.js'
import type { Random } from './random.ts'

/** From Sunday on: people browse at work. */
const WEEKDAYS = [0.45, 1, 1.1, 1.15, 1.05, 0.9, 0.5] as const
/** Of the listing that most people look at, on a good day. */
const VIEWS_MAX = 50
const CLICKS_PER_VIEW = 0.13

/** What a browser says of itself: programs are not counted. */
const BROWSER = {
  accept: 'text/html',
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
}

/**
 * Lets people look at listings for a day, some of whom go on to the website.
 *
 * @param slugs of the listings, the most popular first
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
      // Each of them is another person.
      const headers = { ...BROWSER, 'x-forwarded-for': `10.${nth}.${view >> 8}.${view & 255}` }
      await app.inject({ url: `/product/${slug}`, headers })
      if (random.next() < CLICKS_PER_VIEW) await app.inject({ url: `/visit/${slug}`, headers })
    }
  }
}
