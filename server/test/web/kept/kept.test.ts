import type { Browser, BrowserContext, Page } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { COLLECTIONS_PER_MINUTE } from '../../../src/domain/listings/discovery.ts'
import { daysMs } from '../../../src/platform/lib/time.ts'
import { launchBrowser } from '../../support/browser.ts'
import { htmlFaults, pageFaults } from '../../support/page-faults.ts'
import { placeOnBoard } from '../../support/places.ts'
import { NOON } from '../../support/service.ts'
import { type Pages, startPages } from '../page-app.ts'

let pages: Pages
beforeAll(async () => {
  pages = await startPages({ env: { TRUSTED_PROXIES: '127.0.0.1' } })
  const titles = { oak: 'Oak & <b>Sons</b>', elm: 'Elm Street Radio', fir: 'もみの木', ash: 'Ash' }
  for (const [slug, title] of Object.entries(titles)) {
    const category = slug === 'elm' ? 'Audio & Music' : 'Games'
    await pages.addListing({ slug, title, category, hostname: `${slug}.example` })
  }
  for (const slug of ['bee', 'fox', 'owl', 'yak']) {
    await pages.addListing({ slug, destinationKey: `2:${slug}`, title: slug.toUpperCase() })
  }
  await placeOnBoard(pages.store, { bee: 2500, fox: 2000, owl: 1500, yak: 1000 })
  await pages.addListing({ slug: 'hidden', title: 'Hidden', hiddenAt: NOON })
  await pages.addListing({ slug: 'ended', title: 'Ended', publishedAt: NOON - daysMs(60), expiresAt: NOON })
})
afterAll(() => pages.close())

const slugsIn = (html: string) => [...html.matchAll(/href="\/product\/([^"]+)"/g)].map(match => match[1])
const textOf = async (path: string) => (await pages.get(path)).text()

describe('a shared collection', () => {
  test('is in its address, in that order, without JavaScript, and not for search engines', async () => {
    const response = await pages.get('/kept?listings=elm,oak,elm,fir')
    const html = await response.text()
    expect([response.status, slugsIn(html)]).toEqual([200, ['elm', 'oak', 'fir']])
    expect(response.headers.get('surrogate-key')).toBe('site listing-elm listing-oak listing-fir')
    expect(html).toContain('<meta name="robots" content="noindex"/>')
    expect(html).not.toContain('left out')
    expect(html).not.toMatch(/rel="canonical"|<b>Sons/)
    expect(await htmlFaults(html)).toEqual([])
  })

  test('leaves out what is down or was never there, and says how many', async () => {
    const html = await textOf('/kept?listings=hidden,oak,ended,nowhere')
    expect(slugsIn(html)).toEqual(['oak'])
    expect(html).toContain('3 listings are left out')
    expect(html).not.toMatch(/>Hidden|>Ended/)
    const { slug } = await pages.addListing({ title: 'Passing' })
    expect(slugsIn(await textOf(`/kept?listings=${slug}`))).toEqual([slug])
    await pages.store.db.updateTable('listing').set({ hiddenAt: NOON }).where('slug', '=', slug).execute()
    const empty = await textOf(`/kept?listings=${slug}`)
    expect(slugsIn(empty)).toEqual([])
    expect(empty).toContain('1 listing is left out')
    expect(empty).not.toContain('og:image')
    expect(empty).toContain('<meta name="description" content="Listings on Placard that a visitor kept and shared."/>')
    expect(await htmlFaults(empty)).toEqual([])
  })

  test('has at most 60 listings', async () => {
    const slugs = Array.from({ length: 60 }, (_, place) => `none-${place}`)
    expect((await pages.get(`/kept?listings=oak,${slugs.slice(1)}`)).status).toBe(200)
    expect((await pages.get(`/kept?listings=oak,${slugs}`)).status).toBe(400)
  })

  test('is rendered for one client so often that others do not wait for it', async () => {
    const statusFor = async (client: string) => {
      const headers = { 'x-forwarded-for': client }
      return (await fetch(`${pages.url}/kept?listings=oak`, { headers })).status
    }
    for (let each = 0; each < COLLECTIONS_PER_MINUTE; each++) expect(await statusFor('192.0.2.1')).toBe(200)
    expect([await statusFor('192.0.2.1'), await statusFor('192.0.2.2')]).toEqual([429, 200])
  })

  test.each(['', ',', 'oak,', 'Oak', '%00', '../oak', '<b>', 'oak&listings=elm', `${'x'.repeat(201)}`])(
    'answers an address that is none (%j) with what is wrong',
    async listings => {
      const response = await pages.get(`/kept?listings=${listings}`)
      expect(response.status).toBe(400)
      expect(await response.text()).toContain('must name 1 to 60 listings')
      expect((await pages.get(`/share/kept.png?listings=${listings}`)).status).toBe(400)
    },
  )

  test('has a share picture of its first six posters, without those that are down', async () => {
    const html = await textOf('/kept?listings=oak,elm,fir,ash,hidden')
    const address = /og:image" content="([^"]+)"/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? ''
    expect(address).toMatch(/\/share\/kept\.png\?listings=oak,elm,fir,ash&v=[\w-]{12}$/)
    expect(html).toContain('og:image:alt" content="4 kept listings on Placard: Oak &amp; &lt;b>Sons&lt;/b>, Elm')
    const picture = async (path: string) => {
      const response = await fetch(path)
      expect(response.headers.get('content-type')).toBe('image/png')
      const png = Buffer.from(await response.arrayBuffer())
      return { png, size: await sharp(png).metadata(), headers: response.headers }
    }
    const { png, size, headers } = await picture(address)
    expect([size.width, size.height]).toEqual([1200, 630])
    expect(headers.get('surrogate-key')).toBe('site listing-oak listing-elm listing-fir listing-ash')
    const again = await picture(`${pages.url}/share/kept.png?listings=oak,elm,fir,ash,hidden`)
    expect(again.png.equals(png)).toBe(true)
    expect((await picture(`${pages.url}/share/kept.png?listings=oak`)).png.equals(png)).toBe(false)
    expect((await pages.get('/share/kept.png?listings=hidden')).status).toBe(404)
  })
})

test('searches for what was typed instead of a correction, if asked, and for listings with a picture', async () => {
  const [{ slug }, plain] = [
    await pages.addListing({ title: 'Marmalade' }),
    await pages.addListing({ title: 'Marmalade two' }),
  ]
  const { id } = await pages.store.db
    .selectFrom('listing')
    .select('id')
    .where('slug', '=', slug)
    .executeTakeFirstOrThrow()
  const drawn = {
    state: 'stored',
    version: 'abc',
    sourceUrl: 'http://a.com/i.png',
    attempts: 0,
    tryAt: null,
  } as const
  const picture = {
    ...drawn,
    mediaType: 'image/webp',
    width: 640,
    height: 336,
    listingId: id,
    bytes: Buffer.from('x'),
    storedAt: 1,
  }
  await pages.store.db.insertInto('picture').values(picture).execute()
  const corrected = await textOf('/search?q=marmalede')
  expect(slugsIn(corrected)).toEqual([slug, plain.slug])
  const [, instead = ''] = /<a href="([^"]+)" rel="nofollow">Search for “<bdi>marmalede/.exec(corrected) ?? []
  expect(slugsIn(await textOf(instead.replaceAll('&amp;', '&')))).toEqual([])
  const [, pictured = ''] = /<a href="([^"]+)">With a picture <span class="n num">1</.exec(corrected) ?? []
  const some = await textOf(pictured.replaceAll('&amp;', '&'))
  expect(slugsIn(some)).toEqual([slug])
  expect(some).toContain('<input type="hidden" name="picture" value="1"/>')
  expect(await htmlFaults(some)).toEqual([])
  await pages.store.db.updateTable('listing').set({ hiddenAt: NOON }).where('slug', 'in', [slug, plain.slug]).execute()
})

describe('in a browser', { tags: ['browser'] }, () => {
  let browser: Browser
  let context: BrowserContext
  let page: Page
  const faults: string[] = []
  beforeAll(async () => {
    browser = await launchBrowser()
  })
  beforeEach(async () => {
    context = await browser.newContext({ acceptDownloads: true })
    page = await context.newPage()
    page.on('console', message => void (message.type() === 'error' && faults.push(message.text())))
    page.on('pageerror', error => void faults.push(String(error)))
  })
  afterEach(async () => {
    await context.close()
    expect(faults.splice(0)).toEqual([])
  })
  afterAll(() => browser.close())

  const keepButton = (title: string) => page.getByRole('button', { name: `Keep ${title}` })
  const stored = () => page.evaluate('JSON.parse(localStorage.kept ?? "[]")')
  const shown = () => page.locator('[data-list] h3').allTextContents()
  const status = () => page.getByRole('status')

  /** Keeps listings as a visitor did earlier, and opens the collection. */
  async function openKept(slugs: string[]) {
    await page.goto(`${pages.url}/rules`)
    await page.evaluate(`localStorage.kept = '${JSON.stringify(slugs)}'`)
    await page.goto(`${pages.url}/kept`)
    await page.locator('[data-some]:not([hidden]), [data-none]:not([hidden])').waitFor()
  }

  test('a listing is kept on any poster, by keyboard, and on its page, and no request says so', async () => {
    const sent: string[] = []
    for (const path of ['/', '/newest', '/category/games', '/product/ash']) {
      await page.goto(pages.url + path)
      await expect.poll(() => keepButton('Ash').getAttribute('aria-pressed')).toBe('false')
      page.on('request', request => sent.push(request.url()))
      await keepButton('Ash').focus()
      await page.keyboard.press('Enter')
      await status().getByText('Kept: Ash.').waitFor()
      expect([await keepButton('Ash').getAttribute('aria-pressed'), await stored()]).toEqual(['true', ['ash']])
      await page.keyboard.press('Space')
      await status().getByText('No longer kept: Ash.').waitFor()
      expect([await keepButton('Ash').getAttribute('aria-pressed'), await stored()]).toEqual(['false', []])
      page.removeAllListeners('request')
    }
    expect([sent, await context.cookies()]).toEqual([[], []])
    await keepButton('Ash').click()
    await status().getByRole('link', { name: 'See all' }).click()
    await expect.poll(shown).toEqual(['Ash'])
  })

  test('rows of boards and of results have the button, too', async () => {
    for (const path of ['/board/all', '/search?q=yak']) {
      await page.goto(pages.url + path)
      await keepButton('YAK').click()
      await status().getByText('Kept: YAK.').waitFor()
      await keepButton('YAK').click()
      await status().getByText('No longer kept: YAK.').waitFor()
    }
  })

  test('a tab follows what another one keeps', async () => {
    const other = await context.newPage()
    await Promise.all([page.goto(`${pages.url}/newest`), other.goto(`${pages.url}/product/ash`)])
    await other.getByRole('button', { name: 'Keep Ash' }).click()
    await expect.poll(() => keepButton('Ash').getAttribute('aria-pressed')).toBe('true')
  })

  test('without JavaScript there is no button, and the page says what it needs', async () => {
    const plain = await browser.newPage({ javaScriptEnabled: false })
    for (const path of ['/newest', '/product/ash', '/kept?listings=ash,oak']) {
      await plain.goto(pages.url + path)
      expect([path, await plain.getByRole('button', { name: /^Keep/ }).count()]).toEqual([path, 0])
    }
    expect(await plain.locator('.six h3').allTextContents()).toEqual(['Ash', 'Oak & <b>Sons</b>'])
    await plain.goto(`${pages.url}/kept`)
    expect(await plain.locator('noscript p').innerText()).toContain('turn on JavaScript')
    await plain.close()
  })

  test('the collection is shown with what is published now, sorted, and shared in the order shown', async () => {
    await openKept(['oak', 'hidden', 'elm', 'ash'])
    expect(await shown()).toEqual(['Oak & <b>Sons</b>', 'Elm Street Radio', 'Ash'])
    await page.getByText('1 kept listing is not shown').waitFor()
    const address = page.getByRole('textbox', { name: 'Address of the collection' })
    expect(await address.inputValue()).toBe(`${pages.url}/kept?listings=oak,elm,ash`)
    await page.getByLabel('Sort by').selectOption('title')
    expect(await shown()).toEqual(['Ash', 'Elm Street Radio', 'Oak & <b>Sons</b>'])
    expect(await address.inputValue()).toBe(`${pages.url}/kept?listings=ash,elm,oak`)
    await page.getByLabel('Sort by').selectOption('category')
    expect((await shown())[0]).toBe('Elm Street Radio')
    await page.goto(await address.inputValue())
    expect(await page.locator('.six h3').count()).toBe(3)
  })

  test('a listing is removed, which can be undone, and the last one leaves the page empty', async () => {
    await openKept(['oak', 'ash'])
    await page.getByRole('button', { name: 'Remove Oak' }).click()
    expect([await shown(), await stored()]).toEqual([['Ash'], ['ash']])
    expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('Remove Ash')
    await status().getByRole('button', { name: 'Undo' }).click()
    expect([await shown(), await stored()]).toEqual([
      ['Oak & <b>Sons</b>', 'Ash'],
      ['oak', 'ash'],
    ])
    await page.getByRole('button', { name: 'Remove Oak' }).click()
    await page.getByRole('button', { name: 'Remove Ash' }).click()
    await page.getByRole('heading', { name: 'Nothing kept yet' }).waitFor()
    expect(await page.evaluate('document.activeElement.id')).toBe('content')
  })

  test('an undo leaves what another tab kept since', async () => {
    await openKept(['oak', 'ash'])
    await page.getByRole('button', { name: 'Remove Oak' }).click()
    const other = await context.newPage()
    await other.goto(`${pages.url}/product/elm`)
    await other.getByRole('button', { name: 'Keep Elm' }).click()
    await page.getByRole('button', { name: 'Undo' }).click()
    expect(await stored()).toEqual(['oak', 'elm', 'ash'])
    expect(await page.locator('[data-left-out]').isVisible()).toBe(false)
  })

  test('a collection that could not be loaded is not called ended or taken down', async () => {
    await context.route(/listings=/, route => route.abort())
    await openKept(['oak', 'hidden'])
    await status().getByText('couldn’t load your collection').waitFor()
    expect([await page.locator('[data-left-out]').isVisible(), await stored()]).toEqual([false, ['oak', 'hidden']])
    // The failed request is reported on the console.
    faults.splice(0)
  })

  test.each([
    ['JSON', 'kept.json', '"title": "Oak & <b>Sons</b>"'],
    ['text', 'kept.txt', 'Oak & <b>Sons</b>\noak.example\n'],
    ['HTML', 'kept.html', '>Oak &amp; &lt;b&gt;Sons&lt;/b&gt;</a> oak.example'],
  ])('is exported as %s', async (format, file, text) => {
    await openKept(['oak', 'ash'])
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: `Export as ${format}` }).click(),
    ])
    expect(download.suggestedFilename()).toBe(file)
    const chunks: Buffer[] = []
    for await (const chunk of await download.createReadStream()) chunks.push(chunk)
    const content = Buffer.concat(chunks).toString()
    expect(content).toContain(text)
    expect(content).toContain(`${pages.url}/product/ash`)
    if (format === 'JSON') expect(JSON.parse(content)).toHaveLength(2)
  })

  test('an export can be read for a minute after the click, and then frees its memory', async () => {
    await page.clock.install()
    await openKept(['oak'])
    await page.evaluate(
      'const make = URL.createObjectURL; URL.createObjectURL = blob => (globalThis.made = make(blob))',
    )
    await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Export as text' }).click()])
    const readAgain = async () => {
      const again = page.waitForEvent('download')
      await page.evaluate('Object.assign(document.createElement("a"), { href: made, download: "again" }).click()')
      return (await again).failure()
    }
    expect(await readAgain()).toBeNull()
    await page.clock.runFor(60_000)
    expect(await readAgain()).not.toBeNull()
  })

  test('a shared collection is kept whole, before what was kept already', async () => {
    await page.goto(`${pages.url}/rules`)
    await page.evaluate(`localStorage.kept = '["fir","oak"]'`)
    await page.goto(`${pages.url}/kept?listings=ash,oak`)
    await page.getByRole('button', { name: 'Keep all' }).click()
    expect(await stored()).toEqual(['ash', 'oak', 'fir'])
    expect(await keepButton('Ash').getAttribute('aria-pressed')).toBe('true')
  })

  test('more than 60 are shown, and the address has room for the first 60', async () => {
    for (let place = 0; place < 61; place++) await pages.addListing({ slug: `m${place}`, category: 'Events' })
    await openKept(Array.from({ length: 61 }, (_, place) => `m${place}`))
    expect((await shown()).length).toBe(61)
    await page.getByText('It has room for the first 60.').waitFor()
    const address = await page.getByRole('textbox', { name: 'Address of the collection' }).inputValue()
    expect([address.split(',').length, (await pages.get(address.slice(pages.url.length))).status]).toEqual([60, 200])
  })

  test('a browser that stores nothing says so, and what is stored by others does no harm', async () => {
    await openKept([])
    for (const text of ['{', '7', '[7,"../x","<b>"]', 'null']) {
      await page.evaluate(`localStorage.kept = '${text}'`)
      await page.reload()
      await page.getByRole('heading', { name: 'Nothing kept yet' }).waitFor()
    }
    await page.addInitScript('Storage.prototype.setItem = () => { throw new DOMException("", "QuotaExceededError") }')
    await page.goto(`${pages.url}/product/ash`)
    await keepButton('Ash').click()
    await status().getByText('stores nothing').waitFor()
    expect(await keepButton('Ash').getAttribute('aria-pressed')).toBe('false')
  })

  test('every state is accessible and fits', { tags: ['accessibility'] }, async () => {
    await openKept(['oak', 'elm', 'fir', 'ash', 'hidden'])
    const found = await pageFaults(page, 'kept')
    for (const [name, path] of [
      ['shared collection', '/kept?listings=oak,elm,fir,hidden'],
      ['empty collection', '/kept?listings=hidden'],
      ['no collection', '/kept?listings='],
    ] as const) {
      await page.goto(pages.url + path)
      if (name === 'shared collection') await keepButton('Oak').click()
      found.push(...(await pageFaults(page, name)))
    }
    // The reply of 400 is reported on the console.
    faults.splice(0)
    expect(found).toEqual([])
  })
})
