import { type Browser, chromium, type Page } from 'playwright-core'
import { browserOptions } from '../server/test/support/browser-options.ts'
import { heading, LONG_ROUNDS, report, type Wanted } from './compare.ts'
import type { FilledBoard } from './fill-board.ts'
import { median } from './load.ts'
import { WIDE_ENV } from './requests.ts'
import { startServer } from './server-process.ts'

const PAGES = { home: '/', board: '/board/all', category: '/category/games' }

/** What makes paint dear: the same page without any of it should cost hardly less. */
const PLAIN = `*, *::before, *::after {
  box-shadow: none !important;
  text-shadow: none !important;
  filter: none !important;
  backdrop-filter: none !important;
  background-image: none !important;
  mask: none !important;
  mix-blend-mode: normal !important;
  opacity: 1 !important;
  border-radius: 0 !important;
}`

/** A rule that the figure has to catch: the control of the measurement. */
const DEAR = 'body { box-shadow: inset 0 0 80px rgb(0 0 0 / 40%) !important; border-radius: 12px !important }'

/** In turns, in each round; the least counts, since nothing makes painting cheaper than it is. */
const PAINTS = 2
const VIEWPORT = { width: 1280, height: 4000 }

/** What it costs a browser without a graphics card to paint a page, against the same page without shadows and the like. */
export async function paintFigures({ dataDir }: FilledBoard): Promise<void> {
  heading(
    'Paint time of pages in Chromium, in software, as a multiple of that without shadows, filters and gradients',
  )
  const server = await startServer('placard', [], { ...WIDE_ENV, DATA_DIR: dataDir })
  const { args = [], ...options } = await browserOptions()
  // Otherwise it emulates a graphics card, whose work the trace does not tell apart.
  const browser = await chromium.launch({ ...options, args: [...args, '--disable-gpu'] })
  try {
    const plain = await openPage(browser, PLAIN)
    const [page, dear] = [await openPage(browser), await openPage(browser, DEAR)]
    const compare = async (name: string, page: Page, path: string, wanted: Wanted) => {
      const rounds: { as: number; plain: number }[] = []
      // The first of each only warms up.
      for (let round = 0; round <= LONG_ROUNDS; round++) {
        const best = { as: Number.POSITIVE_INFINITY, plain: Number.POSITIVE_INFINITY }
        for (let time = 0; time < PAINTS; time++) {
          best.as = Math.min(best.as, await paintMs(browser, page, server.url + path))
          best.plain = Math.min(best.plain, await paintMs(browser, plain, server.url + path))
        }
        rounds.push(best)
      }
      const counted = rounds.slice(1)
      report(
        name,
        counted.map(({ as, plain }) => as / plain),
        wanted,
      )
      const ms = (values: number[]) => `${median(values).toFixed(0)} ms`
      console.log(`    ${ms(counted.map(({ as }) => as))}  against  ${ms(counted.map(({ plain }) => plain))}`)
    }
    for (const [name, path] of Object.entries(PAGES)) await compare(name, page, path, { atMost: 1.2 })
    await compare('home with one soft inset shadow, as a control', dear, PAGES.home, { atLeast: 1.5 })
  } finally {
    await browser.close()
    await server.stop()
  }
}

/** A page whose style sheets end in `css`. */
async function openPage(browser: Browser, css = ''): Promise<Page> {
  const page = await browser.newPage({ viewport: VIEWPORT })
  await page.route('**/style.css*', async route => {
    const response = await route.fetch()
    await route.fulfill({ response, body: `${await response.text()}\n${css}` })
  })
  return page
}

/** Loads a page, and says how long Chromium took to turn it into pixels: processor time in milliseconds. */
async function paintMs(browser: Browser, page: Page, address: string): Promise<number> {
  await page.goto('about:blank')
  await browser.startTracing(page, {
    categories: ['devtools.timeline', 'disabled-by-default-devtools.timeline'],
  })
  await page.goto(address)
  // A picture of the page comes once all of it is on the screen.
  await page.screenshot()
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as {
    traceEvents: TraceEvent[]
  }
  const painting = traceEvents.filter(({ name, ph }) => ph === 'X' && name === 'RasterTask')
  return painting.reduce((sum, { tdur, dur }) => sum + (tdur ?? dur ?? 0), 0) / 1000
}

/** Of a Chromium trace; times in microseconds, `tdur` of the processor. */
interface TraceEvent {
  name: string
  ph: string
  dur?: number
  tdur?: number
}
