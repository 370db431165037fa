import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encode } from 'uqr'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findListing } from '../../../src/domain/listings/listing.ts'
import { hideListing, restoreListing } from '../../../src/domain/moderation/moderate.ts'
import { SESSION_LIFETIME_MS } from '../../../src/domain/ownership/signed-cookies.ts'
import { daysMs } from '../../../src/platform/lib/time.ts'
import { htmlFaults } from '../../support/page-faults.ts'
import { startProcess } from '../../support/process.ts'
import { NOON, newCredentials, PUBLIC, publishAtLast, publishBody } from '../../support/service.ts'
import { startSites } from '../../support/sites.ts'
import { type Pages, startPages } from '../page-app.ts'
import { openPrivatePage } from './owner.ts'

let pages: Pages
beforeAll(async () => {
  pages = await startPages()
})
afterAll(() => pages.close())

const OWN = { 'sec-fetch-site': 'same-origin' }
const WRONG = 'A'.repeat(43)

const exchange = (path: string, token: unknown, headers: Record<string, string> = OWN) =>
  pages.post(`${path}/session`, JSON.stringify({ token }), { 'content-type': 'application/json', ...headers })

const withdraw = (path: string, body: string, headers: Record<string, string>) =>
  pages.post(`${path}/withdraw`, body, { 'content-type': 'application/x-www-form-urlencoded', ...headers })

/** The cookie of a new visit, as a request header. */
async function visit(listing: { privatePath: string; token: string }): Promise<{ cookie: string }> {
  const response = await exchange(listing.privatePath, listing.token)
  return { cookie: response.headers.get('set-cookie')?.split(';')[0] ?? '' }
}

async function idOf({ slug }: { slug: string }): Promise<number> {
  const listing = await findListing(pages.store.db, slug)
  return listing?.id ?? 0
}

describe('the private page without a visit', () => {
  test('is one and the same shell for a known claim and an unknown one', async () => {
    const { privatePath } = await pages.addListing()
    const [known, unknown] = await Promise.all([pages.get(privatePath), pages.get(`/manage/${randomUUID()}`)])
    expect(known.status).toBe(200)
    expect(unknown.status).toBe(200)
    expect(await known.text()).toBe(await unknown.text())
  })

  test('is never cached, indexed or leaked to other websites', async () => {
    const { headers } = await pages.get(`/manage/${randomUUID()}`)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('x-robots-tag')).toBe('noindex')
    expect(headers.get('etag')).toBeNull()
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none';.*script-src 'self'; connect-src 'self'$/,
    )
  })

  test('says to people without JavaScript what it needs', async () => {
    expect(await (await pages.get(`/manage/${randomUUID()}`)).text()).toMatch(/<noscript>.*needs JavaScript/s)
  })

  test('is reached with a trailing slash, and from the address of a refused action', async () => {
    const path = `/manage/${randomUUID()}`
    for (const rest of ['/', '/withdraw', '/refresh', '/renew', '/category', '/promote']) {
      const { status, headers } = await pages.get(path + rest)
      expect([rest, status, headers.get('location')]).toEqual([rest, 302, path])
      expect(headers.get('cache-control')).toBe('no-store')
      expect((await pages.get(`/manage/nonsense${rest}`)).status).toBe(404)
    }
  })

  test('does not exist without a claim', async () => {
    for (const claim of ['x', '123', `${randomUUID()}0`, randomUUID().toUpperCase().replace(/^./, 'G')]) {
      expect((await pages.get(`/manage/${claim}`)).status).toBe(404)
    }
  })
})

describe('exchanging the key', () => {
  test('opens a visit with a cookie for this page alone, that scripts and other websites cannot use', async () => {
    const { privatePath, token } = await pages.addListing()
    const response = await exchange(privatePath, token)
    expect(response.status).toBe(204)
    const parts = response.headers.get('set-cookie')?.split('; ') ?? []
    expect(parts.slice(1).sort()).toEqual(['HttpOnly', 'Max-Age=900', `Path=${privatePath}`, 'SameSite=Strict'])
    expect(response.headers.get('set-cookie')).not.toContain(token)
  })

  test('sets a cookie that no neighbour can set where the service has an https address, one for each page', async () => {
    const secure = await startPages({ env: PUBLIC })
    const visited = []
    for (const { privatePath, token } of [await secure.addListing(), await secure.addListing()]) {
      const response = await secure.post(`${privatePath}/session`, JSON.stringify({ token }), {
        'content-type': 'application/json',
        ...OWN,
      })
      const [pair = '', ...flags] = response.headers.get('set-cookie')?.split('; ') ?? []
      expect(pair).toMatch(new RegExp(`^__Host-placard_owner_${privatePath.slice(8)}=`))
      expect(flags.sort()).toEqual(['HttpOnly', 'Max-Age=900', 'Path=/', 'SameSite=Strict', 'Secure'])
      visited.push({ privatePath, pair })
    }
    const cookie = visited.map(({ pair }) => pair).join('; ')
    for (const { privatePath, pair } of visited) {
      const [shown, others] = [await secure.get(privatePath, { cookie }), visited.find(each => each.pair !== pair)]
      expect(await shown.text()).toContain(`${privatePath}/withdraw`)
      const shell = await secure.get(privatePath, { cookie: others?.pair ?? '' })
      expect(await shell.text()).not.toContain(`${privatePath}/withdraw`)
    }
    expect(await (await secure.get('/privacy')).text()).toContain('<code>__Host-placard_owner</code>')
    await secure.close()
  })

  test('uses nothing up: the same key works again', async () => {
    const { privatePath, token } = await pages.addListing()
    for (let time = 0; time < 3; time++) expect((await exchange(privatePath, token)).status).toBe(204)
  })

  test('answers a wrong key, a malformed key and an unknown claim in the same way', async () => {
    const { privatePath, token } = await pages.addListing()
    const other = await pages.addListing()
    const answers = await Promise.all([
      exchange(privatePath, WRONG),
      exchange(privatePath, other.token),
      exchange(privatePath, token.slice(1)),
      exchange(privatePath, { a: 1 }),
      exchange(`/manage/${randomUUID()}`, token),
      exchange('/manage/nonsense', token),
    ])
    const bodies = new Set(await Promise.all(answers.map(answer => answer.text())))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([404]))
    expect(bodies.size).toBe(1)
    for (const { headers } of answers) {
      expect(headers.get('set-cookie')).toBeNull()
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.get('referrer-policy')).toBe('no-referrer')
    }
  })

  test('takes the key as JSON only', async () => {
    const { privatePath, token } = await pages.addListing()
    const form = await pages.post(`${privatePath}/session`, `token=${token}`, {
      'content-type': 'application/x-www-form-urlencoded',
      ...OWN,
    })
    expect(form.status).toBe(415)
    for (const body of ['null', '[]', '"x"', '7']) {
      const response = await pages.post(`${privatePath}/session`, body, {
        'content-type': 'application/json',
        ...OWN,
      })
      expect(response.status).toBe(404)
    }
  })
})

describe('a visit', () => {
  test('shows status, end, public page and category', async () => {
    const listing = await pages.addListing()
    const response = await pages.get(listing.privatePath, await visit(listing))
    const html = await response.text()
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(html).toContain('>Published</strong>')
    expect(html).toContain('20 January 2027, 12:00 UTC')
    expect(html).toContain(`href="${pages.url}${listing.publicPath}"`)
    expect(html).toContain('<dd>Food &amp; Drink</dd>')
    expect(html).toContain(`action="${listing.privatePath}/promote"`)
    expect(html).not.toContain(listing.token)
    // The field holds the public address, which is not that of this page.
    const shared = /<label for="share-words">([^<]+)<[\s\S]*?<textarea id="share-words"[^>]*>([^<]+)</.exec(html)
    expect(shared?.slice(1)).toEqual(['What to say', expect.stringMatching(`${pages.url}${listing.publicPath}$`)])
    expect(html).not.toMatch(/>[^<]*address of this page/i)
    expect(html).toContain('On the boards <span class="paid">Paid placement</span>')
  })

  test('shows how many days are left, or that no end is scheduled', async () => {
    const shown = async (expiresAt: number | null) => {
      const listing = await pages.addListing({ expiresAt })
      return (await pages.get(listing.privatePath, await visit(listing))).text()
    }
    expect(await shown(NOON + daysMs(60))).toContain('60 days left')
    expect(await shown(NOON + daysMs(2) - 1)).toContain('1 day left')
    expect(await shown(NOON + 1)).toContain('less than a day left')
    expect(await shown(null)).toContain('No scheduled end while it has a paid place')
    for (const [hiddenBy, when] of [
      ['owner', 'once it is shown again'],
      ['operator', 'if the operator restores it'],
    ] as const) {
      const down = await pages.addListing({ expiresAt: null, hiddenAt: NOON, hiddenBy })
      const html = await (await pages.get(down.privatePath, await visit(down))).text()
      expect(html).not.toContain('No scheduled end')
      expect(html).toContain(`Its payments still count. It has a place again ${when}.`)
      expect(html).toContain('A listing that is down has no place.')
      expect(html).not.toContain('No payment counts')
    }
  })

  test('shows views and clicks of thirty days, as a chart and as a table', async () => {
    const listing = await pages.addListing()
    const id = await idOf(listing)
    const cookie = await visit(listing)
    expect(await (await pages.get(listing.privatePath, cookie)).text()).toContain('None yet.')
    const counted = [
      { listingId: id, day: '2026-10-22', views: 999, clicks: 999 },
      { listingId: id, day: '2026-10-23', views: 1200, clicks: 0 },
      { listingId: id, day: '2026-11-21', views: 34, clicks: 1 },
    ]
    await pages.store.db.insertInto('listing_day').values(counted).execute()
    const html = await (await pages.get(listing.privatePath, cookie)).text()
    expect(html).toContain('1,234 views and 1 outbound click in 30 days.')
    expect(html).toContain('Most views on one day: 1,200, on 23 October 2026.')
    expect(html).toContain('Each address counts as at most one view and one click an hour')
    expect(html.match(/<rect /g)).toHaveLength(3)
    expect(html.match(/<th scope="row">/g)).toHaveLength(30)
    expect(html).toContain('<th scope="row">21 November 2026</th><td>34</td><td>1</td>')
  })

  test('says that a paid place is lost and not refunded when the listing is withdrawn', async () => {
    const [paid, free] = [await pages.addListing(), await pages.addListing()]
    await pages.store.db
      .insertInto('board_total')
      .values({
        board: 'all',
        listingId: await idOf(paid),
        destinationKey: `2:${paid.slug}`,
        totalCents: 2500,
        reachedAt: NOON,
        shown: 1,
      })
      .execute()
    const html = await (await pages.get(paid.privatePath, await visit(paid))).text()
    expect(html).toContain('All time: No. 1 with $25.00')
    expect(html).toContain('withdrawing refunds nothing')
    expect(await (await pages.get(free.privatePath, await visit(free))).text()).not.toContain('refunds')
  })

  test('shows a QR code of the public page, and nothing to share of a listing that is down', async () => {
    const [up, down] = [await pages.addListing(), await pages.addListing({ hiddenAt: NOON })]
    const html = await (await pages.get(up.privatePath, await visit(up))).text()
    const [, size = '', path = ''] = /class="qr" viewBox="0 0 (\d+) .*?fill="#fff".*?d="([^"]+)"/.exec(html) ?? []
    const dark = Array.from({ length: Number(size) }, () => Array<boolean>(Number(size)).fill(false))
    for (const [, x, y, width] of path.matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g)) {
      dark[Number(y)]?.fill(true, Number(x), Number(x) + Number(width))
    }
    expect(dark).toEqual(encode(pages.url + up.publicPath, { border: 4 }).data)
    const hidden = await (await pages.get(down.privatePath, await visit(down))).text()
    expect(hidden).not.toMatch(/class="qr"|\/badge\//)
  })

  test('opens no other private page', async () => {
    const [mine, other] = [await pages.addListing(), await pages.addListing()]
    const html = await (await pages.get(other.privatePath, await visit(mine))).text()
    expect(html).not.toContain('Withdraw')
    expect(html).toBe(await (await pages.get(other.privatePath)).text())
  })

  test('ends after its time, and when the link is renewed', async () => {
    const listing = await pages.addListing()
    const cookie = await visit(listing)
    const isOpen = async () => (await (await pages.get(listing.privatePath, cookie)).text()).includes('Published')
    pages.time.now = NOON + SESSION_LIFETIME_MS - 1
    expect(await isOpen()).toBe(true)
    pages.time.now = NOON + SESSION_LIFETIME_MS
    expect(await isOpen()).toBe(false)
    pages.time.now = NOON
    expect(await isOpen()).toBe(true)
    await pages.store.db.updateTable('claim').set({ linkVersion: 2 }).where('id', '=', listing.claimId).execute()
    expect(await isOpen()).toBe(false)
  })

  test.each([
    ['expired', { expiresAt: NOON }, 'Its time has ended. You can show it again below.'],
    ['unavailable', { hiddenAt: NOON, hiddenBy: 'operator' as const }, 'The operator took it down.'],
    ['unavailable', { hiddenAt: NOON, hiddenBy: 'owner' as const }, 'You withdrew it.'],
  ])(
    'to a listing that is %s says why, and only offers to renew the link and to prove the website',
    async (status, fields, sentence) => {
      const listing = await pages.addListing(fields)
      const html = await (await pages.get(listing.privatePath, await visit(listing))).text()
      expect(html.toLowerCase()).toContain(`>${status}</strong>`)
      expect(html).toContain(sentence)
      const actions = [...html.matchAll(/<form method="post" action="([^"]*)"/g)].map(([, action]) => action)
      expect(actions).toEqual([`${listing.privatePath}/renew`, `${listing.privatePath}/token`])
    },
  )
})

describe('withdrawing', () => {
  test('takes the listing down, records it, and leads back', async () => {
    const listing = await pages.addListing()
    const cookie = await visit(listing)
    const response = await withdraw(listing.privatePath, 'confirm=yes', { ...cookie, ...OWN })
    expect(response.status).toBe(303)
    expect(response.headers.get('location')).toBe(`${listing.privatePath}?done=withdraw`)
    expect((await pages.get(listing.publicPath)).status).toBe(410)
    const html = await (await pages.get(listing.privatePath, cookie)).text()
    expect(html).toContain('You withdrew it. You can show it again below.')
    expect(html).toContain('Until its owner or the operator shows the listing again.')
    const again = await withdraw(listing.privatePath, 'confirm=yes', { ...cookie, ...OWN })
    expect(again.status).toBe(303)
    const events = await pages.store.db.selectFrom('decision').select(['kind', 'actor']).execute()
    expect(events).toEqual([{ kind: 'hide', actor: 'owner' }])
  })

  test('needs its confirmation', async () => {
    const listing = await pages.addListing()
    const cookie = await visit(listing)
    for (const body of ['', 'confirm=no', 'other=yes', 'confirm=yes&confirm=yes']) {
      const response = await withdraw(listing.privatePath, body, { ...cookie, ...OWN })
      expect(response.status).toBe(400)
      expect(await response.text()).toContain('Please tick the box to confirm.')
    }
    expect((await pages.get(listing.publicPath)).status).toBe(200)
  })

  test('needs a visit that still lasts', async () => {
    const listing = await pages.addListing()
    const cookie = await visit(listing)
    pages.time.now = NOON + SESSION_LIFETIME_MS
    for (const headers of [{ ...OWN, ...cookie }, OWN]) {
      const response = await withdraw(listing.privatePath, 'confirm=yes', headers)
      expect(response.status).toBe(403)
      expect(await response.text()).toContain('Your visit had ended, so nothing changed.')
    }
    pages.time.now = NOON
    expect((await pages.get(listing.publicPath)).status).toBe(200)
  })
})

test('an appeal that comes after the end of the visit is shown again, to copy it', async () => {
  const listing = await pages.addListing({ hiddenAt: NOON, hiddenBy: 'operator' })
  const headers = { 'content-type': 'application/x-www-form-urlencoded', ...OWN }
  const response = await pages.post(`${listing.privatePath}/appeal`, 'statement=It+is+%3Cbread%3E.', headers)
  const html = await response.text()
  expect([response.status, html]).toEqual([403, expect.stringContaining('It is &lt;bread>.</textarea>')])
  expect(await htmlFaults(html)).toEqual([])
})

test('an appeal that is no longer possible is shown again, to copy it', async () => {
  const listing = await pages.addListing()
  await hideListing(pages.store, listing.slug, 'It is not what it says.', NOON)
  const owner = await openPrivatePage(listing.privateLink)
  expect((await owner.act('appeal', { statement: 'It is.' })).status).toBe(303)
  const other = await owner.act('appeal', { statement: 'It is what it <says>.' })
  await restoreListing(pages.store, listing.slug, 'A mistake.', NOON)
  const late = await owner.act('appeal', { statement: 'It is what it <says>.' })
  for (const { status, html } of [other, late]) {
    expect([status, html]).toEqual([409, expect.stringContaining('It is what it &lt;says>.</textarea>')])
    expect([html.includes('name="statement"'), await htmlFaults(html)]).toEqual([false, []])
  }
})

describe('what other websites send', () => {
  test.each([
    ['a cross-site request', { 'sec-fetch-site': 'cross-site' }],
    ['one from a sibling host', { 'sec-fetch-site': 'same-site' }],
    ['one that a person typed', { 'sec-fetch-site': 'none' }],
    ['a foreign origin', { origin: 'https://elsewhere.example' }],
    ['a hidden origin', { origin: 'null' }],
    ['no word about where it is from', {}],
  ])('is refused: %s', async (_, headers: Record<string, string>) => {
    const listing = await pages.addListing()
    const cookie = await visit(listing)
    expect((await withdraw(listing.privatePath, 'confirm=yes', { ...cookie, ...headers })).status).toBe(403)
    expect((await exchange(listing.privatePath, listing.token, headers)).status).toBe(403)
    expect((await pages.get(listing.publicPath)).status).toBe(200)
  })

  test('is told from our own page by its origin if the browser sends nothing else', async () => {
    const { privatePath, token } = await pages.addListing()
    expect((await exchange(privatePath, token, { origin: pages.url })).status).toBe(204)
    const crossed = { origin: pages.url, 'sec-fetch-site': 'cross-site' }
    expect((await exchange(privatePath, token, crossed)).status).toBe(403)
  })
})

test('no key ever reaches the log, nor a warning for an action that is done', { tags: ['programs'] }, async () => {
  const [sites, dataDir] = [await startSites(), mkdtempSync(join(tmpdir(), 'placard-log-'))]
  const env = { DATA_DIR: dataDir, LOG_LEVEL: 'trace', FETCH_CONNECT_TO: sites.connectTo }
  const service = await startProcess(env)
  const { body } = await publishAtLast(service, newCredentials(), publishBody('http://sunrise-bakery.com/'))
  const link = body.ownership.privateRecoveryUrl ?? ''
  const [privatePage = '', key = 'no key'] = link.split('#owner=')
  const owner = await openPrivatePage(link)
  expect((await owner.read()).html).toContain('It is live.')
  expect((await owner.act('promote')).status).toBe(303)
  expect((await openPrivatePage(`${privatePage}#owner=${WRONG}`)).status).toBe(404)
  const choice = { destination: 'https://other.com/', category: 'Design', board: 'all', target: '25' }
  const form = new URLSearchParams({ ...choice, link })
  const answer = await fetch(`${service.url}/promote/link`, { method: 'POST', body: form, headers: OWN })
  expect(answer.status).toBe(403)
  await service.end('SIGTERM')
  const routes = ['/manage/:claim/session', '/promote/link'].map(route => `"route":"${route}"`)
  for (const route of routes) expect(service.output()).toContain(route)
  expect(service.output()).not.toContain(key)
  expect(service.output()).not.toContain(WRONG)
  expect(service.output()).not.toContain('already sent')
  await sites.close()
  rmSync(dataDir, { recursive: true })
})
