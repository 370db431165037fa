import { Parser } from 'htmlparser2'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { applyEvent } from '../../../src/domain/payments/apply-event.ts'
import { PictureMaker } from '../../../src/domain/pictures/picture-process.ts'
import { SAME_SQL } from '../../support/engines.ts'
import { eventOf, openTestCheckout } from '../../support/ledger.ts'
import { placeOnBoard } from '../../support/places.ts'
import { NOON, PUBLIC } from '../../support/service.ts'
import { openPrivatePage } from '../manage/owner.ts'
import { type Pages, startPages } from '../page-app.ts'

const TODAY = '2026-11-21'
const HOSTILE = '"><script>alert(1)</script>&\u202e\u0007<![CDATA[é'

/** What a page offers to say. */
function wordsOf(html: string): string {
  let [words, isInside] = ['', false]
  const parser = new Parser({
    onopentag: (_, { id }) => {
      isInside = id === 'share-words'
    },
    onclosetag: () => {
      isInside = false
    },
    ontext: text => {
      if (isInside) words += text
    },
  })
  parser.end(html)
  return words
}

const saidOn = async (pages: Pages, path: string): Promise<string> => wordsOf(await (await pages.get(path)).text())

/** Pays for a website that is not listed yet. @returns the path of its order */
async function order({ store }: Pages, host: string, amountCents = 2500): Promise<string> {
  const checkout = await openTestCheckout(store, host, 'stripe', 'Games', amountCents)
  await applyEvent(store, eventOf('paid', `pi_${host}`, { checkout, occurredAt: NOON, amountCents }), NOON)
  return `/checkout/${checkout.checkoutId}`
}

describe.each(SAME_SQL)('what to say, on %s', engine => {
  let pages: Pages
  beforeAll(async () => {
    pages = await startPages({ engine })
  })
  afterAll(() => pages.close())

  test('names the better place, how many the board has, and that it is paid', async () => {
    await placeOnBoard(pages.store, { first: 990_000 })
    const alone = `Site first is No. 1 of all time on Placard, the only one so far. Paid placement. ${pages.url}/product/first`
    expect(await saidOn(pages, '/product/first')).toBe(alone)
    await placeOnBoard(pages.store, { second: 4000, third: 3000 })
    await placeOnBoard(pages.store, { third: 3000, first: 5000 }, TODAY)
    const third = `Site third is No. 2 today on Placard, among 2. Paid placement. ${pages.url}/product/third`
    expect(await saidOn(pages, '/product/third')).toBe(third)
    expect(await saidOn(pages, '/product/second')).toContain(' is No. 2 of all time on Placard, among 3. ')
    // The page is rendered again when only the number of places has changed.
    await placeOnBoard(pages.store, { fourth: 500 })
    expect(await saidOn(pages, '/product/second')).toContain(' is No. 2 of all time on Placard, among 4. ')
  })

  test('is the same on the page of the order', async () => {
    const path = await order(pages, 'paid-mill.com', 50_000)
    const said = await saidOn(pages, path)
    expect(said).toMatch(/^paid-mill\.com is No\. 1 today on Placard, among 3\. Paid placement\. http/)
    expect(await saidOn(pages, '/product/paid-mill-com')).toBe(said)
  })

  test('names no place of a listing that nobody paid for, on its private page either', async () => {
    const { publicPath, privateLink } = await pages.addListing()
    const said = `Sunrise Bakery is on Placard, a public notice board. ${pages.url}${publicPath}`
    expect(await saidOn(pages, publicPath)).toBe(said)
    const { html } = await (await openPrivatePage(privateLink)).read()
    expect(wordsOf(html)).toBe(said)
    // Its picture comes with the page, and can be saved.
    const [, saved] = /<a class="btn" href="([^"]+)" download="[\w-]+\.png"/.exec(html) ?? []
    expect(/<figure><img src="([^"]+)"/.exec(html)?.[1]).toBe(saved)
    expect((await pages.get(saved ?? '')).headers.get('content-type')).toBe('image/png')
  })

  test.each([
    ['is cut at its dash', 'Tide – maps for sailors', 'Tide'],
    ['keeps its figures', '1,204 tonnes', '1,204 tonnes'],
    ['is cut if it is long', 'a'.repeat(200), `${'a'.repeat(59)}…`],
    ['is escaped', HOSTILE, '"><script>alert(1)</script>&<![CDATA[é'],
    ['is its host if it has no letter', '\u202e!!', 'www.sunrise-bakery.com'],
  ])('a title %s', async (_, title, name) => {
    const { publicPath } = await pages.addListing({ title })
    expect(await saidOn(pages, publicPath)).toBe(
      `${name} is on Placard, a public notice board. ${pages.url}${publicPath}`,
    )
  })
})

test('what is paid with play money says so', async () => {
  const env = { ...PUBLIC, STRIPE_SECRET_KEY: 'sk_test_nobody', ALLOW_TEST_MONEY: '1' }
  const pages = await startPages({ env })
  await placeOnBoard(pages.store, { first: 990_000 })
  const said = await saidOn(pages, '/product/first')
  expect(said).toMatch(/ so far\. Paid with play money\. https:/)
  await pages.close()
})

test('the picture is drawn with the page of a paid order, and with the private page, and only once', async () => {
  const made = vi.spyOn(PictureMaker.prototype, 'make')
  // Files that follow in this process use the same class.
  onTestFinished(() => void made.mockRestore())
  const pages = await startPages({ drawsAhead: true })
  const pictureOf = (html: string) => /<figure><img src="([^"]+)"/.exec(html)?.[1] ?? ''
  const drawings = () => made.mock.calls.map(call => JSON.stringify(call)).filter(call => call.includes('"listing"'))
  const ordered = pictureOf(await (await pages.get(await order(pages, 'paid-mill.com'))).text())
  await expect.poll(() => drawings().filter(call => call.includes('paid-mill.com'))).toHaveLength(1)
  const { privateLink } = await pages.addListing()
  const owned = pictureOf((await (await openPrivatePage(privateLink)).read()).html)
  await expect.poll(() => drawings().filter(call => call.includes('sunrise-bakery.com'))).toHaveLength(1)
  for (const path of [ordered, owned]) {
    const picture = await pages.get(path)
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png'])
    // The address has the version of what is shown now, so the picture was not drawn for another rank.
    expect(picture.headers.get('cache-control')).toContain('immutable')
  }
  expect(drawings()).toHaveLength(2)
  await pages.close()
})
