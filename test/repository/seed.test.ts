// @module-tag programs
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CATEGORIES } from '@placard/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DAY_MS, planUntil } from '../../examples/seed/plan.ts'
import { configFrom } from '../../server/src/platform/config/config.ts'
import { openStore } from '../../server/src/platform/db/open.ts'
import { operateHere } from '../../server/test/support/operate.ts'
import { run, type ServiceProcess, startProcess } from '../../server/test/support/process.ts'
import { openPrivatePage } from '../../server/test/web/manage/owner.ts'

/** A folder seeded once, the output, and the service that shows it. */
let folder: string
let printed: string
let service: ServiceProcess
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'placard-seed-test-'))
  const seeding = run('examples/seed.ts', [], { DATA_DIR: folder, PORT: '0', NO_COLOR: '1' })
  expect([await seeding.ended, seeding.output()]).toEqual([0, expect.stringContaining('The board is filled')])
  printed = seeding.output()
  service = await startProcess({ DATA_DIR: folder })
})
afterAll(async () => {
  await service?.end('SIGTERM')
  rmSync(folder, { recursive: true, force: true })
})

const page = async (path: string) => {
  const response = await fetch(service.url + path, { headers: { accept: 'text/html' } })
  expect([path, response.status]).toEqual([path, 200])
  return response.text()
}
const slugsIn = (html: string) => [...new Set([...html.matchAll(/\/product\/([\w-]+)/g)].map(match => match[1]))]

describe('a seeded store', () => {
  it('holds 150 listings, most of them on show, some ended, some hidden', async () => {
    expect(printed).toContain('150 listings, 60 payments')
    const { output } = await operateHere({ DATA_DIR: folder }, 'list', '--limit', '1000')
    const count = (status: string) => output.match(new RegExp(`^\\S+  ${status} `, 'gm'))?.length ?? 0
    expect(count('published') + count('expired') + count('unavailable')).toBe(150)
    expect(count('unavailable')).toBe(3)
    expect(count('expired')).toBeGreaterThan(3)
    expect(count('published')).toBeGreaterThan(120)
  })

  it('has boards derived from its payments', async () => {
    const { code, output } = await operateHere({ DATA_DIR: folder }, 'reconcile')
    expect([code, output]).toEqual([0, expect.stringMatching(/No difference: 60 payments /)])
    expect((await operateHere({ DATA_DIR: folder }, 'payments', '--unplaced')).output).not.toContain('$')
  })

  it('has a log that proves its boards and draws', async () => {
    const { code, output } = await operateHere({ DATA_DIR: folder }, 'audit', 'verify')
    expect([code, output]).toEqual([0, expect.stringMatching(/^\d+ entries, log whole, /)])
  })

  it('has reports that wait for the operator', async () => {
    const { output } = await operateHere({ DATA_DIR: folder }, 'reports')
    expect(output.match(/^\d+ /gm)).toHaveLength(4)
  })

  it('shows both boards, with movement', async () => {
    const all = await page('/board/all')
    expect(slugsIn(all).length).toBeGreaterThan(20)
    expect(all).toContain('▲')
    expect(slugsIn(await page('/board/today')).length).toBeGreaterThan(1)
  })

  it('shows pictures, and placards where there are none, on the home page', async () => {
    // A service that starts on the day after the seed draws in the background.
    await expect.poll(() => page('/')).toContain('Ten by lot, today')
    const home = await page('/')
    expect(home).toContain('<bdi>Ida</bdi>, operator of this site')
    expect(slugsIn(home).length).toBeGreaterThan(10)
    const pictures = new Set([...home.matchAll(/src="(\/picture[^"]+)"/g)].map(match => match[1] ?? ''))
    const types = await Promise.all(
      [...pictures].map(async path => (await fetch(service.url + path)).headers.get('content-type')),
    )
    expect(types.filter(type => type === 'image/webp').length).toBeGreaterThan(5)
  })

  it.each(CATEGORIES)('has something in %s', async category => {
    const list = await page('/categories')
    const path = [...list.matchAll(/<a[^>]*href="(\/category\/[^"]+)"[^>]*>([^<]+)/g)].find(
      ([, , name]) => name?.trim().replaceAll('&amp;', '&') === category,
    )?.[1]
    expect(slugsIn(await page(path ?? `no link to ${category}`)).length).toBeGreaterThan(0)
  })

  it('is searched in several languages, without what ended', async () => {
    const { output } = await operateHere({ DATA_DIR: folder }, 'list', '--status', 'published', '--limit', '1000')
    // The day decides which listings are old.
    const shown = { noche: 'nighttrains-eu', trains: 'nighttrains-eu', 台灣高山茶: 'teahouse-tw', قصص: 'hikayat-net' }
    const found = Object.keys(shown).map(async words => slugsIn(await page(`/search?q=${encodeURIComponent(words)}`)))
    const expected = Object.values(shown).map(slug => (output.includes(`${slug} `) ? [slug] : []))
    expect(await Promise.all(found)).toEqual(expected.map(slugs => expect.arrayContaining(slugs)))
    expect(slugsIn(await page('/search?q=asdfghjkl'))).toEqual([])
  })

  it('opens its private pages, with what was viewed', async () => {
    const links = printed.match(/http:\S+\/manage\/\S+/g) ?? []
    expect(links).toHaveLength(3)
    for (const link of links) {
      const { port } = new URL(service.url)
      const owner = await openPrivatePage(link.replace(/:\d+\//, `:${port}/`))
      expect(owner.status).toBe(204)
      expect((await owner.read()).html).toMatch(/\d+ views/)
    }
  })

  it('was looked at for a month, less at weekends', async () => {
    const store = await openStore(configFrom({ DATA_DIR: folder }))
    const days = await store.db
      .selectFrom('listing_day')
      .groupBy('day')
      .select(({ fn }) => ['day', fn.sum<number>('views').as('views'), fn.sum<number>('clicks').as('clicks')])
      .orderBy('day')
      .execute()
    await store.close()
    expect(days).toHaveLength(30)
    for (const { views, clicks } of days) expect(clicks).toBeLessThan(views)
    const isWeekend = ({ day }: { day: string }) => [0, 6].includes(new Date(day).getUTCDay())
    const views = (of: typeof days) => of.map(day => day.views)
    // Today is not over, and listings were fewer at first.
    const lastDays = days.slice(-15, -1)
    expect(Math.max(...views(lastDays.filter(isWeekend)))).toBeLessThan(
      Math.min(...views(lastDays.filter(day => !isWeekend(day)))),
    )
  })

  it('is never filled twice', async () => {
    const again = run('examples/seed.ts', [], { DATA_DIR: folder, PORT: '0' })
    expect([await again.ended, again.output()]).toEqual([
      1,
      `The board was not filled: DATA_DIR ${folder} is already in use: name an empty one\n`,
    ])
  })
})

describe('the plan of a seed', () => {
  it('lets some listings expire and has one on show in each category, whatever the day', () => {
    for (let day = Date.UTC(2027, 0, 1); day < Date.UTC(2029, 0, 1); day += DAY_MS) {
      const { publications, payments, reports } = planUntil(day)
      const hasPaid = new Set(payments.map(({ website }) => website))
      const expired = publications.filter(({ website, at }) => at < day - 60 * DAY_MS && !hasPaid.has(website))
      expect(expired.length).toBeGreaterThan(3)
      const gone = new Set([...expired, ...reports].map(({ website }) => website))
      const onShow = publications.filter(({ website }) => !gone.has(website)).map(({ website }) => website.category)
      expect(new Set(onShow).size).toBe(CATEGORIES.length)
    }
  })

  const MORNING = Date.UTC(2027, 1, 28, 6)
  const midnight = Date.UTC(2027, 1, 28)

  it('is the same for a whole day, except for the day’s own events', () => {
    const earlier = (now: number) =>
      JSON.stringify(planUntil(now).publications.filter(({ at }) => at < midnight)) +
      JSON.stringify(planUntil(now).payments.filter(({ at }) => at < midnight))
    expect(earlier(MORNING)).toBe(earlier(MORNING + 10 * 60 * 60 * 1000))
    expect(earlier(MORNING)).not.toBe(earlier(MORNING + 24 * 60 * 60 * 1000))
  })

  it.each([midnight, midnight + 1, MORNING, midnight + 24 * 60 * 60 * 1000 - 1])(
    'is over by %i, and pays nothing before listing or back before payment',
    now => {
      const { publications, payments, reports } = planUntil(now)
      expect([publications.length, payments.length]).toEqual([150, 60])
      expect(
        payments
          .map(({ undone }) => undone?.act)
          .filter(Boolean)
          .sort(),
      ).toEqual(['dispute', 'refund', 'refund_all', 'refund_all', 'refund_all'])
      const listedAt = new Map(publications.map(({ website, at }) => [website, at]))
      for (const { website, at, undone } of payments) {
        expect(at).toBeGreaterThan(listedAt.get(website) ?? now)
        expect(Math.max(at, undone?.at ?? 0)).toBeLessThanOrEqual(now)
        if (undone) expect(undone.at).toBeGreaterThan(at)
      }
      for (const { website, at } of reports) expect(at).toBeGreaterThan(listedAt.get(website) ?? now)
    },
  )
})
