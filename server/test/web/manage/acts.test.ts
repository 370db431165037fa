import type { RequestListener } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { newCredentials, publish, publishBody, startTestService, type TestService } from '../../support/service.ts'
import { sendHtml } from '../../support/sites.ts'
import { OWN, openPrivatePage } from './owner.ts'

let service: TestService
/** A listing that no test acts on, as it was published. */
let neighbour: unknown
const readNeighbour = async () => (await fetch(`${service.url}/api/v1/listings/neighbour-com`)).json()
beforeAll(async () => {
  service = await startTestService({ env: { TRUSTED_PROXIES: '127.0.0.1' } })
  await publish(service, newCredentials(), publishBody('http://neighbour.com/'))
  neighbour = await readNeighbour()
})
afterAll(() => service.stop())

let host = ''
let productUrl = ''
let privateLink = ''
let owner: Awaited<ReturnType<typeof openPrivatePage>>
let sites = 0
beforeEach(async () => {
  host = `acted-on-${++sites}.com`
  const { body } = await publish(service, newCredentials(), publishBody(`http://${host}/`))
  productUrl = body.productUrl
  privateLink = body.ownership.privateRecoveryUrl ?? ''
  owner = await openPrivatePage(privateLink)
})

const product = async () => (await fetch(productUrl, { headers: { accept: 'text/html' } })).text()
const page =
  (html: string): RequestListener =>
  (_, response) =>
    sendHtml(response, html)
const down: RequestListener = (_, response) => void response.writeHead(503).end()

/** Addresses of the preview images that listings are to get. */
async function picturesWanted() {
  const store = await service.database.openStore()
  const pictures = await store.db.selectFrom('picture').select('sourceUrl').execute()
  return pictures.map(({ sourceUrl }) => sourceUrl)
}

describe('refreshing', () => {
  test('shows what the page says now, in its own place and with its own end', async () => {
    const before = await owner.read()
    service.sites.set(
      host,
      page(`<!doctype html><html lang="de"><title>Neue &lt;b&gt;Töne&lt;/b&gt;</title>
        <meta name="description" content="Jetzt mit Musik."><meta property="og:image" content="/neu.png"><h1>Musik</h1><p>Komm herein und höre zu.</p>`),
    )
    service.clock.now += 60_000
    const answer = await owner.act('refresh')
    expect(answer.status).toBe(303)
    const { html } = await owner.read('?done=refresh')
    expect(html).toContain('Your listing now matches your page.')
    expect(html).toContain('Neue &lt;b>Töne&lt;/b>')
    const end = /<dt>Ends<\/dt><dd><time dateTime="[^"]+"/i
    expect(end.exec(html)?.[0]).toBe(end.exec(before.html)?.[0])
    expect(await product()).toContain('Jetzt mit Musik.')
    const asData = await fetch(productUrl.replace('/product/', '/api/v1/listings/'))
    expect(await asData.json()).toMatchObject({ description: 'Jetzt mit Musik.', updatedAt: service.clock.now })
    expect(await picturesWanted()).toContain(`http://${host}/neu.png`)
  })

  test('changes nothing where review refuses the page, keeps the listing up and says why', async () => {
    service.sites.set(host, page('<!doctype html><title>This domain is for sale</title><p>Buy this domain now.</p>'))
    const answer = await owner.act('refresh')
    expect(answer.status).toBe(422)
    expect(answer.html).toContain('Your page did not pass review, so nothing changed.')
    expect(answer.html).toContain('The domain looks parked or for sale.')
    expect(await product()).toContain(`Welcome to ${host}`)
  })

  test('changes nothing while the page cannot be read', async () => {
    service.sites.set(host, down)
    const answer = await owner.act('refresh')
    expect(answer.status).toBe(503)
    expect(answer.headers.get('retry-after')).toBe('30')
    expect(answer.html).toContain('We couldn’t read your page right now.')
    expect(await product()).toContain(`Welcome to ${host}`)
    service.sites.set(host, page(`<title>Just a moment...</title>Checking your browser before accessing ${host}.`))
    const challenged = await owner.act('refresh')
    expect(challenged.status).toBe(503)
    expect(challenged.html).toContain(
      'The website shows a check for robots instead of its page. Let its firewall admit',
    )
    expect(await product()).toContain(`Welcome to ${host}`)
  })

  test('is limited to a few times an hour', async () => {
    for (let time = 0; time < 5; time++) expect((await owner.act('refresh')).status).toBe(303)
    const answer = await owner.act('refresh')
    expect(answer.status).toBe(429)
    expect(answer.html).toContain('You have tried too often.')
    expect(service.sites.visits(host)).toBe(6)
  })

  test('is limited to a few times an hour per listing, from however many addresses', async () => {
    const owners = await Promise.all(Array.from({ length: 4 }, () => openPrivatePage(privateLink)))
    const statuses: number[] = []
    for (const each of [...owners, ...owners]) statuses.push((await each.act('refresh')).status)
    expect(statuses).toEqual([303, 303, 303, 303, 303, 303, 429, 429])
    expect(service.sites.visits(host)).toBe(7)
    const other = await publish(service, newCredentials(), publishBody(`http://other-${host}/`))
    const its = await openPrivatePage(other.body.ownership.privateRecoveryUrl ?? '')
    expect((await its.act('refresh')).status).toBe(303)
  })

  test('takes no turns from publishing', async () => {
    let answer = () => {}
    const visited = new Promise<void>(resolve =>
      service.sites.set(host, (_, response) => {
        answer = () => sendHtml(response, '<!doctype html><title>At last</title><p>Words.</p>')
        resolve()
      }),
    )
    const refreshing = owner.act('refresh')
    await visited
    // Another host of the same website, where publishing waits while another publish visits it.
    expect((await publish(service, newCredentials(), publishBody(`http://www2.${host}/`))).status).toBe(201)
    answer()
    expect((await refreshing).status).toBe(303)
  })
})

describe('changing the category', () => {
  test('puts the listing into the other one', async () => {
    const answer = await owner.act('category', { category: 'Audio & Music' })
    expect(answer.status).toBe(303)
    expect((await owner.read('?done=category')).html).toContain('Your listing is in the category that you chose.')
    expect(await product()).toContain('Audio &amp; Music')
    const { db } = await service.database.openStore()
    const decided = db.selectFrom('decision').select(['actor', 'facts']).where('kind', '=', 'category')
    expect(await decided.execute()).toEqual([
      { actor: 'owner', facts: expect.stringContaining('from Food & Drink to Audio & Music') },
    ])
  })

  test('does not claim a change if the listing has that category already', async () => {
    const answer = await owner.act('category', { category: 'Food & Drink' })
    const { html } = await owner.read(new URL(answer.headers.get('location') ?? '', service.url).search)
    expect(html).toContain('Your listing is in the category that you chose.')
  })

  test('takes one of the categories only', async () => {
    for (const category of ['', 'audio & music', 'toString', 'Games\0']) {
      const answer = await owner.act('category', { category })
      expect(answer.status).toBe(400)
      expect(answer.html).toContain('Please choose one of the categories.')
    }
    expect((await owner.act('category')).status).toBe(400)
    expect(await product()).toContain('Food &amp; Drink')
  })

  test('is limited to sixty times an hour', async () => {
    const categories = ['Games', 'Audio & Music']
    for (let time = 0; time < 60; time++) {
      expect((await owner.act('category', { category: categories[time % 2] ?? '' })).status).toBe(303)
    }
    const answer = await owner.act('category', { category: 'Games' })
    expect(answer.status).toBe(429)
    expect(answer.html).toContain('You have tried too often. Try again in 60 minutes.')
    // What the owner chose is still there to send again.
    expect(answer.html).toContain('<option value="Games" selected>')
    expect(await product()).toContain('Audio &amp; Music')
  })
})

describe.each(['refresh', 'category', 'renew', 'withdraw', 'promote'])('%s', name => {
  const fields = { category: 'Games', confirm: 'yes', link: 'x' }

  test('needs a visit, and our own page', async () => {
    expect((await owner.act(name, fields, { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    expect((await owner.act(name, fields, { ...OWN, cookie: '' })).html).toContain('Your visit had ended')
    expect(await product()).toContain('Food &amp; Drink')
    expect(service.sites.visits(host)).toBe(1)
  })
})

test('a withdrawn listing can neither be refreshed nor moved', async () => {
  expect((await owner.act('withdraw', { confirm: 'yes' })).status).toBe(303)
  for (const name of ['refresh', 'category']) {
    const answer = await owner.act(name, { category: 'Games' })
    expect(answer.status).toBe(409)
    expect(answer.html).toContain('The listing is no longer published.')
  }
  // And nothing is requested from its website.
  expect(service.sites.visits(host)).toBe(1)
  expect((await owner.read()).html).not.toContain('/refresh"')
})

test('none of these acts changed another listing', async () => {
  expect(neighbour).toMatchObject({ title: 'Welcome to neighbour.com' })
  expect(await readNeighbour()).toEqual(neighbour)
})

test('accepts only known values of done in its address', async () => {
  for (const query of ['?done=toString', '?done=x&done=y', '?done=%3Cb%3E']) {
    const { status, html } = await owner.read(query)
    expect(status).toBe(200)
    expect(html).not.toContain('role="status"')
  }
})
