import { createHash } from 'node:crypto'
import { DRAWS_PATH, type Draw } from '@placard/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hideListing } from '../../../src/domain/moderation/moderate.ts'
import type { Store } from '../../../src/platform/db/store.ts'
import { DAY_MS } from '../../../src/platform/lib/time.ts'
import { putDraw } from '../../support/draws.ts'
import { listingRow } from '../../support/listing-row.ts'
import { run } from '../../support/process.ts'
import { NOON, startTestService, type TestService } from '../../support/service.ts'

const DAY = '2026-11-21'
const SLUGS = Array.from({ length: 14 }, (_, at) => `lot-${at}`)

let service: TestService
let store: Store
beforeAll(async () => {
  service = await startTestService({ jobsEveryMs: 0 })
  store = await service.database.openStore()
  await store.db
    .insertInto('listing')
    .values(SLUGS.map(slug => listingRow({ slug, title: `Title ${slug}`, publishedAt: NOON - 2 * DAY_MS })))
    .execute()
})
afterAll(() => service.stop())

const get = async (path: string) => {
  const response = await fetch(service.url + path)
  return { status: response.status, headers: response.headers, text: await response.text() }
}
const drawTwice = async () => {
  await putDraw(store, '2026-11-19', ['lot-13'])
  await putDraw(store, DAY, SLUGS.slice(0, 12))
}
const drawOn = async (day: string) => JSON.parse((await get(`${DRAWS_PATH}/${day}`)).text) as Draw

describe('before the first draw', () => {
  it('the page says so, and home has no section', async () => {
    expect((await get('/draw')).text).toContain('Nothing was drawn yet')
    expect((await get('/')).text).not.toContain('Ten by lot, today')
    expect((await get(`/draw/${DAY}`)).status).toBe(404)
    expect((await get(`${DRAWS_PATH}/${DAY}`)).status).toBe(404)
    expect((await get(`${DRAWS_PATH}/yesterday`)).status).toBe(400)
  })
})

describe('a draw', () => {
  beforeAll(drawTwice)

  it('hangs on the home page for its day', async () => {
    const { text } = await get('/')
    const section = text.slice(text.indexOf('Ten by lot, today'), text.indexOf('id="newest"'))
    expect(section.match(/by lot<\/span>/g)).toHaveLength(10)
    service.clock.now = NOON + DAY_MS
    expect((await get('/')).text).not.toContain('Ten by lot, today')
    service.clock.now = NOON
  })

  it('has a page with its neighbours, and all that is needed to repeat it', async () => {
    const { text, status } = await get(`/draw/${DAY}`)
    expect(status).toBe(200)
    expect(text).toContain('drawn 1st')
    expect(text).toContain('drawn 10th')
    expect(text).toContain('href="/draw/2026-11-19" rel="prev"')
    expect((await get('/draw')).text).toContain(`<link rel="canonical" href="${service.url}/draw/${DAY}"`)
    const earlier = (await get('/draw/2026-11-19')).text
    expect(earlier).toContain(`href="/draw/${DAY}" rel="next"`)
    expect(earlier).toContain(
      'Only 1 listing could be drawn: the others were new, were drawn in the 29 days before, or were left out by the operator.',
    )
    expect((await get('/draw/2026-11-20')).status).toBe(404)
    expect((await get('/draw/2026-02-30')).status).toBe(404)

    const draw = await drawOn(DAY)
    expect(draw.drawn[0]).toMatchObject({
      place: 1,
      slug: 'lot-0',
      title: 'Title lot-0',
      productUrl: `${service.url}/product/lot-0`,
    })
    const list = await get(`/draw/${DAY}/candidates/1.txt`)
    expect(list.headers.get('cache-control')).toContain('immutable')
    expect(list.headers.get('content-encoding')).toBe('gzip')
    expect(createHash('sha256').update(list.text).digest('hex')).toBe(draw.candidates.sha256)
    expect(draw.candidates).toMatchObject({ count: 12, pages: 1, url: `${service.url}/draw/${DAY}/candidates` })
    expect((await get(`/draw/${DAY}/candidates/2.txt`)).status).toBe(404)
  })

  it('has a share picture, as the picks have, and a day without a draw has none', async () => {
    for (const path of [`/draw/${DAY}`, '/picks']) {
      const [, image = ''] = /property="og:image" content="([^"]+)"/.exec((await get(path)).text) ?? []
      expect(image).toMatch(/\/share\/(draw-2026-11-21|picks)\.png\?v=/)
      const response = await fetch(image)
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/png'])
      expect(response.headers.get('cache-control')).toContain('immutable')
    }
    expect((await get('/share/draw-2026-11-20.png')).status).toBe(404)
    expect((await get('/share/draw-2026-02-30.png')).status).toBe(404)
  })

  it('of one listing is not called a draw of ten by its picture or headings', async () => {
    const { text } = await get('/draw/2026-11-19')
    const [, alt] = /property="og:image:alt" content="([^"]+)"/.exec(text) ?? []
    expect(alt).toBe('Placard: Drawn by lot. On 19 November 2026. Every listing had the same chance.')
    expect(text).not.toMatch(/<h2[^>]*>[^<]*ten/i)
  })

  it('is named on the page of a listing, on its badge if wanted, and in the sitemap', async () => {
    expect((await get('/product/lot-3')).text).toMatch(/<dt>Drawn by lot<\/dt><dd><a href="\/draw\/2026-11-21">/)
    expect((await get('/product/lot-12')).text).not.toContain('Drawn by lot')
    expect((await get('/badge/lot-3.svg?board=drawn')).text).toContain('drawn by lot on 21 November 2026')
    expect((await get('/badge/lot-12.svg?board=drawn')).text).toContain('listed on Placard')
    const feed = (await get('/draw/feed.atom')).text
    expect(feed).toContain(`<link rel="alternate" type="text/html" href="${service.url}/draw/${DAY}"/>`)
    expect(feed).toContain('<summary>Title lot-0; Title lot-1;')
    expect((await get('/sitemap-days.xml')).text).toContain(`<loc>${service.url}/draw/${DAY}</loc>`)
  })

  it('offers no command to repeat it once the list of its candidates is deleted', async () => {
    const day = '2026-08-20'
    await putDraw(store, day, ['lot-0'])
    const offered = async () => /Run it yourself|verify draw/.test((await get(`/draw/${day}`)).text)
    expect(await offered()).toBe(true)
    await store.db.deleteFrom('draw_candidates').where('day', '=', day).execute()
    expect(await offered()).toBe(false)
    expect((await drawOn(day)).candidates).toMatchObject({ count: 1, pages: 1, url: null })
    expect((await get(`/draw/${DAY}`)).text).toContain('Run it yourself')
  })

  it('shows a listing no longer once it is taken down, and says that one is gone', async () => {
    await hideListing(store, 'lot-4', 'Reported', NOON)
    const { text } = await get(`/draw/${DAY}`)
    expect(text).not.toContain('lot-4.com')
    expect(text).toContain('1 listing that was drawn is no longer up.')
    expect((await get('/')).text).not.toContain('lot-4.com')
    expect((await drawOn(DAY)).drawn[4]).toMatchObject({ slug: 'lot-4', productUrl: null, title: null })
  })
})

describe('verifying a draw with the client', { tags: ['programs'] }, () => {
  beforeAll(drawTwice)

  const verify = async (day: string) => {
    const { ended, output } = run('client/dist/cli.js', ['verify', 'draw', day, '--service', service.url, '--json'], {})
    return { code: await ended, said: output() }
  }
  const checksOf = ({ said }: { said: string }) =>
    (JSON.parse(said) as { checks: { agrees: boolean; found?: string }[] }).checks.map(({ agrees }) => agrees)

  it('agrees if the ten have the lowest hashes, and says what does not', async () => {
    // These were put there, not drawn.
    const wrong = await verify(DAY)
    expect([wrong.code, checksOf(wrong)]).toEqual([1, [true, true, false, true]])

    const right = await verify('2026-11-19')
    expect([right.code, checksOf(right)]).toEqual([0, [true, true, true, true]])
    await putDraw(store, '2026-11-16', [])
    expect((await get('/draw/2026-11-16')).text).toContain('No listing could be drawn: there was none, or all were new')
    const empty = await verify('2026-11-16')
    expect([empty.code, checksOf(empty)]).toEqual([0, [true, true, true, true]])

    await store.db
      .updateTable('draw')
      .set({ candidatesHash: 'cd'.repeat(32), candidates: 2 })
      .where('day', '=', '2026-11-19')
      .execute()
    await putDraw(store, '2026-11-18', ['lot-13'])
    const changed = await verify('2026-11-19')
    expect([changed.code, checksOf(changed)]).toEqual([1, [false, false, true, false]])
  })

  it('needs a day, its list and a service that has the draw', async () => {
    expect((await verify('today')).code).toBe(2)
    expect((await verify('2026-11-17')).code).toBe(1)
    await store.db.deleteFrom('draw_candidates').where('day', '=', '2026-11-18').execute()
    const gone = await verify('2026-11-18')
    expect([gone.code, JSON.parse(gone.said).code]).toEqual([1, 'list_deleted'])
  })
})
