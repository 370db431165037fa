import { Parser } from 'htmlparser2'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readHistory } from '../../../src/domain/boards/standings.ts'
import { readNeighbours } from '../../../src/domain/listings/discovery.ts'
import { applyEvent } from '../../../src/domain/payments/apply-event.ts'
import { outlined } from '../../../src/web/listing/badge.ts'
import { SAME_SQL } from '../../support/engines.ts'
import { eventOf, payFor } from '../../support/ledger.ts'
import { htmlFaults } from '../../support/page-faults.ts'
import { placeOnBoard } from '../../support/places.ts'
import { planOf } from '../../support/plan.ts'
import { NOON } from '../../support/service.ts'
import { type Pages, startPages } from '../page-app.ts'

const HOSTILE = '</title><script>alert(1)</script>"&\u0007<img src=x onerror=alert(1)>'

const DOWN = [
  ['hidden', { hiddenAt: NOON }],
  ['expired', { expiresAt: NOON }],
] as const

/** Words of a badge, wherever they are drawn. */
const spelt = (words: string) => {
  const [, paths = ''] = />(.*)<\/g>$/.exec(outlined(words, 'text', 11).at(0, 0, '')) ?? []
  return new RegExp(paths.replace(/[()]/g, '\\$&'))
}

describe.each(SAME_SQL)('on %s', engine => {
  let pages: Pages
  beforeAll(async () => {
    pages = await startPages({ engine })
    await placeOnBoard(pages.store, { first: 990_000, second: 123_450 })
  })
  afterAll(() => pages.close())

  const oEmbed = (query: Record<string, string>) =>
    pages.get(`/oembed?${new URLSearchParams(query)}`, { accept: 'application/json' })
  const addressOf = (slug: string) => `${pages.url}/product/${slug}`

  describe('a badge', () => {
    test('says the live rank, and that the place is paid', async () => {
      const response = await pages.get('/badge/second.svg')
      expect(response.status).toBe(200)
      expect(response.headers.get('content-type')).toBe('image/svg+xml; charset=utf-8')
      expect(response.headers.get('cache-control')).toBe('public, max-age=30, stale-while-revalidate=30')
      expect(response.headers.get('cross-origin-resource-policy')).toBe('cross-origin')
      expect(response.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox")
      const svg = await response.text()
      expect(svg).toContain('No. 2 of all time on Placard, a paid place</title>')
      expect(svg).toContain(outlined('No. 2', 'wood', 26).at(12, 33, '#faf8f2'))
      expect(svg).toMatch(spelt('Paid place, all time'))
      expect(svg).not.toContain('<text')
      await placeOnBoard(pages.store, { third: 500_000 })
      expect(await (await pages.get('/badge/second.svg')).text()).toContain('No. 3 of all time')
    })

    test('says today’s rank where it is asked for, and none where there is none today', async () => {
      await placeOnBoard(pages.store, { first: 5000, second: 6000 }, '2026-11-21')
      const svg = await (await pages.get('/badge/first.svg?board=today&style=dark')).text()
      expect(svg).toMatch(spelt('Paid place, today'))
      expect(svg).toContain('No. 2 today on Placard, a paid place</title>')
      await placeOnBoard(pages.store, { absent: 400_000 })
      expect(await (await pages.get('/badge/absent.svg?board=today')).text()).toMatch(spelt('Listed on'))
      expect((await pages.get('/badge/first.svg?board=design')).status).toBe(404)
      expect((await pages.get('/badge/first.svg?board=all&board=today')).status).toBe(404)
    })

    test('says nothing of money or rank where nothing was paid', async () => {
      const { slug } = await pages.addListing()
      const svg = await (await pages.get(`/badge/${slug}.svg`)).text()
      expect(svg).toMatch(spelt('Listed on'))
      expect(svg).not.toMatch(/No\.|paid/i)
    })

    test('comes in three styles, and in no other', async () => {
      const shown = await Promise.all(
        ['', '?style=dark', '?style=plain'].map(async query => (await pages.get(`/badge/first.svg${query}`)).text()),
      )
      expect(new Set(shown).size).toBe(3)
      // Marigold is for No. 1, and a plain badge has no colours.
      expect(shown.map(svg => svg.includes('#f2b705'))).toEqual([true, true, false])
      expect((await pages.get('/badge/first.svg?style=__proto__')).status).toBe(404)
    })

    test('can be copied in each style, and with today’s rank where a place is paid for', async () => {
      const { publicPath } = await pages.addListing({ title: HOSTILE })
      const codesOf = async (path: string) =>
        [...(await (await pages.get(path)).text()).matchAll(/id="share-badge[\d-]*" value="([^"]+)"/g)].map(
          ([, code = '']) => /badge\/[\w-]+\.svg(\S*?)&quot;/.exec(code)?.[1],
        )
      const styles = ['', '?style=dark', '?style=plain']
      expect(await codesOf(publicPath)).toEqual(styles)
      expect(await codesOf('/product/first')).toEqual([...styles, '?board=today'])
      const html = await (await pages.get('/product/first')).text()
      const shown = [...html.matchAll(/<img src="(\/badge\/[^"]+)"/g)].map(([, path = '']) => path)
      expect(shown).toHaveLength(4)
      for (const path of shown) {
        expect((await pages.get(path)).headers.get('content-type')).toMatch(/^image\/svg/)
      }
    })

    test('is well-formed whatever its listing is called', async () => {
      const { slug } = await pages.addListing({ title: HOSTILE })
      const elements: string[] = []
      const parser = new Parser({ onopentagname: name => elements.push(name) }, { xmlMode: true })
      parser.end(await (await pages.get(`/badge/${slug}.svg`)).text())
      expect(new Set(elements)).toEqual(new Set(['svg', 'title', 'rect', 'g', 'path']))
    })

    test.each(DOWN)('of a listing that is %s is gone, and reveals nothing', async (_, fields) => {
      const { slug } = await pages.addListing(fields)
      const response = await pages.get(`/badge/${slug}.svg`)
      expect([response.status, response.headers.get('cache-control')]).toEqual([410, 'no-cache'])
      expect(await response.text()).toBe('This listing is down.\n')
      expect((await pages.get('/badge/no-such-thing.svg')).status).toBe(404)
    })
  })

  describe('oEmbed', () => {
    test('is found from the page, and shows the placard in a frame', async () => {
      const html = await (await pages.get('/product/first')).text()
      const [, href = ''] = /type="application\/json\+oembed" href="([^"]+)"/.exec(html) ?? []
      const response = await fetch(href.replaceAll('&amp;', '&'))
      expect(response.status).toBe(200)
      expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
      expect(response.headers.get('access-control-allow-origin')).toBe('*')
      const said = (await response.json()) as Record<string, unknown>
      expect(said).toMatchObject({
        version: '1.0',
        type: 'rich',
        provider_name: 'Placard',
        width: 320,
        height: 400,
        thumbnail_url: expect.stringMatching(/^http:\/\/[\d.:]+\/picture\/first\/share\.png\?v=[\w-]{12}$/),
      })
      const [, src = ''] = /<iframe src="([^"]+)"/.exec(String(said.html)) ?? []
      const framed = await fetch(src)
      expect(framed.headers.get('content-security-policy')).toMatch(/default-src 'none'.*frame-ancestors \*$/)
      expect(framed.headers.get('content-security-policy')).not.toContain('script-src')
      expect([framed.headers.get('set-cookie'), framed.headers.get('x-robots-tag')]).toEqual([null, 'noindex'])
      const page = await framed.text()
      expect(page).toContain('<base target="_blank"/>')
      expect(page).toContain('Paid place on Placard')
      expect(page.match(/<article class="bill /g)).toHaveLength(1)
      expect(await htmlFaults(page)).toEqual([])
    })

    test('fits into the size that the other website allows', async () => {
      const small = await oEmbed({ url: addressOf('first'), maxwidth: '100' })
      expect(await small.json()).toMatchObject({ type: 'link' })
      const middle = await oEmbed({ url: addressOf('first'), maxwidth: '400', maxheight: '300' })
      const said = (await middle.json()) as Record<string, unknown>
      expect([said.type, said.width, said.height, said.thumbnail_url]).toEqual(['rich', 240, 300, undefined])
    })

    test('refuses with the status codes of its specification', async () => {
      const url = addressOf('first')
      expect((await oEmbed({ url, format: 'xml' })).status).toBe(501)
      expect(await (await oEmbed({ url, format: 'xml' })).json()).toMatchObject({ code: 'format_not_served' })
      for (const query of [
        {},
        { url: `${pages.url}/` },
        { url: addressOf('no-such-thing') },
        { url: 'https://elsewhere.com/product/first' },
        { url: 'first' },
        { url, maxwidth: '-1' },
      ] as Record<string, string>[]) {
        expect([query, (await oEmbed(query)).status]).toEqual([query, 404])
      }
    })

    test('gives HTML that no title breaks out of', async () => {
      const { slug } = await pages.addListing({ title: HOSTILE })
      const said = (await (await oEmbed({ url: addressOf(slug) })).json()) as { html: string; title: string }
      expect(said.title).toBe(HOSTILE)
      const elements: [string, string[]][] = []
      const parser = new Parser({
        onopentag: (name, attributes) => elements.push([name, Object.keys(attributes)]),
      })
      parser.end(said.html)
      expect(elements).toEqual([['iframe', ['src', 'title', 'width', 'height', 'loading', 'sandbox', 'style']]])
    })

    test.each(DOWN)('knows nothing of a listing that is %s', async (_, fields) => {
      const { slug } = await pages.addListing(fields)
      const response = await oEmbed({ url: addressOf(slug) })
      expect(response.status).toBe(404)
      expect(await response.text()).not.toMatch(/sunrise/i)
      const framed = await pages.get(`/embed/${slug}`)
      expect([framed.status, await framed.text()]).toEqual([410, 'This listing is down.\n'])
    })
  })

  describe('the page of a listing', () => {
    test('leads to the listings on either side of it, and to no hidden one', async () => {
      const at = (age: number, slug: string, more = {}) =>
        pages.addListing({ slug, title: slug, description: '', category: 'Games', publishedAt: NOON - age, ...more })
      await at(5000, 'oldest')
      await at(4000, 'older-hidden', { hiddenAt: NOON })
      await at(3000, 'middle')
      await at(2000, 'newer-expired', { expiresAt: NOON })
      await at(1000, 'newest')
      const html = await (await pages.get('/product/middle')).text()
      expect(html).toMatch(/>Older in Games<\/span><a href="\/product\/oldest"/)
      expect(html).toMatch(/>Newer in Games<\/span><a href="\/product\/newest"/)
      expect(html).not.toMatch(/older-hidden|newer-expired/)
      // Each once, beside the poster or in the way on.
      expect(html.match(/href="\/product\/(oldest|newest)"/g)).toHaveLength(2)
      for (const down of ['older-hidden', 'newer-expired']) {
        const gone = await pages.get(`/product/${down}`)
        expect(gone.status).toBe(410)
        expect(await gone.text()).toContain('href="/product/middle"')
      }
    })

    test('finds newer ones past those without an end', async () => {
      const day = 24 * 60 * 60 * 1000
      const at = (days: number, slug: string, expiresAt: number | null) =>
        pages.addListing({
          slug,
          title: `${days}`,
          description: '',
          category: 'Design',
          publishedAt: NOON - days * day,
          expiresAt,
        })
      await at(90, 'old-paid', null)
      await at(80, 'next-paid', null)
      await at(70, 'long-over', NOON - 10 * day)
      await at(1, 'young', NOON + 59 * day)
      expect(await (await pages.get('/product/old-paid')).text()).toMatch(
        />Newer in Design<\/span><a href="\/product\/next-paid"/,
      )
      expect(await (await pages.get('/product/next-paid')).text()).toMatch(
        />Newer in Design<\/span><a href="\/product\/young"/,
      )
    })

    // PostgreSQL reads such small tables whole.
    test.runIf(engine === 'sqlite')('reads neighbours and history from indexes alone, unsorted', async () => {
      const listing = { id: 1, category: 'Games' }
      for (const publishedAt of [NOON - 1, NOON - 90 * 24 * 60 * 60 * 1000]) {
        const { steps } = await planOf(pages.store, watched =>
          readNeighbours(watched, { ...listing, publishedAt }, { now: NOON, limit: 4 }),
        )
        expect(steps.join()).toMatch(/listing_of_category/)
        expect(steps.join()).not.toMatch(/SCAN|TEMP B-TREE/)
      }
      const { steps } = await planOf(pages.store, watched =>
        readHistory(watched, '2:first', { totalCents: 500, now: NOON }),
      )
      expect(steps).toEqual([expect.stringMatching(/^SEARCH .*\(board=\? AND destinationKey=\?\)$/)])
    })

    test('does not call a listing free that a payment listed, once its money is gone', async () => {
      await payFor(pages.store, 'returned.com', 'pi_returned', { amountCents: 700 })
      await applyEvent(pages.store, eventOf('refunded', 'pi_returned', { amountCents: 700 }), NOON)
      const html = await (await pages.get('/product/returned-com')).text()
      expect(html).toContain('<p>Not on a paid board.</p>')
      expect(html).toContain('Listed with a paid place')
      expect(html).not.toMatch(/listed free/i)
    })

    test('tells the history of its total by what counts of each day', async () => {
      await placeOnBoard(pages.store, { told: 70_000 })
      await placeOnBoard(pages.store, { told: 20_000 }, '2026-11-10')
      const fewDays = await (await pages.get('/product/told')).text()
      expect(fewDays).not.toContain('All-time total, last')
      // The total is that of all rows together.
      expect(fewDays).toMatch(
        /Paid on .*<dd>\$200\.00<\/dd><dt>Paid before <time.*23 October 2026<\/time><\/dt><dd>\$500\.00</,
      )
      await placeOnBoard(pages.store, { told: 5000 }, '2026-11-15')
      await placeOnBoard(pages.store, { told: 10_000 }, '2026-11-21')
      const html = await (await pages.get('/product/told')).text()
      expect(html).toContain('aria-label="All-time total: $350.00 on 23 October 2026, $700.00 today."')
      expect(html).toMatch(/Paid before <time.*<dd>\$350\.00</)
      expect(html).toMatch(/<a href="\/board\/today\/2026-11-10">.*?<dd>\$200.00<\/dd>/)
      expect(html).toMatch(/<a href="\/board\/today"><time[^>]*>21 November 2026<.*?<dd>\$100.00<\/dd>/)
    })
  })
})
