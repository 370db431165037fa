import { DECISION_HEADER, DECISIONS_PATH, PROOF_HEADER } from '@placard/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { decideAppeal } from '../../../src/domain/moderation/appeals/decide-appeal.ts'
import { makeConsoleLink } from '../../../src/domain/moderation/console/sessions.ts'
import { endListing } from '../../../src/domain/moderation/end-dates.ts'
import { hideListing } from '../../../src/domain/moderation/moderate.ts'
import type { Store } from '../../../src/platform/db/store.ts'
import { daysMs } from '../../../src/platform/lib/time.ts'
import { newCredentials, publish, publishBody, startTestService, type TestService } from '../../support/service.ts'
import { sendHtml } from '../../support/sites.ts'
import { buttonOf, idOf, undoId } from '../console/operators.ts'
import { newVisitor, type Visitor } from '../visitor.ts'
import { OWN } from './owner.ts'

let service: TestService
let store: Store
beforeAll(async () => {
  service = await startTestService({ jobsEveryMs: 0, env: { LIMIT_NEW_ATTEMPTS_PER_DAY_PER_IP: '1000' } })
  store = await service.database.openStore()
})
afterAll(() => service.stop())

let host = ''
let hosts = 0
let head = ''
let slug = ''
let owner: Visitor
let credentials = newCredentials()
let page = ''
let privateLink = ''
beforeEach(async () => {
  host = `proven-${++hosts}.com`
  head = ''
  service.sites.set(host, (_request, response) => sendHtml(response, `<head>${head}<title>Shop</title></head><p>Hello`))
  credentials = newCredentials()
  const { body } = await publish(service, credentials, publishBody(`http://${host}/`))
  owner = newVisitor(service)
  slug = body.productUrl.split('/').at(-1) ?? ''
  privateLink = body.ownership.privateRecoveryUrl ?? ''
  await visit(privateLink)
})

/** Opens the private page, in the browser that may have a proof under way. */
async function visit(link: string) {
  const { pathname, hash } = new URL(link)
  page = pathname
  const opened = await fetch(`${service.url}${page}/session`, {
    method: 'POST',
    headers: { ...OWN, 'content-type': 'application/json' },
    body: JSON.stringify({ token: hash.replace('#owner=', '') }),
  })
  const [name = '', value = ''] = opened.headers.get('set-cookie')?.split(';')[0]?.split('=') ?? []
  owner.cookies.set(name, { value, path: page, flags: [] })
}

const product = async () => {
  const response = await fetch(`${service.url}/product/${slug}`, { headers: { accept: 'text/html' } })
  const decision = response.headers.get(DECISION_HEADER)
  return { status: response.status, html: await response.text(), decision }
}

/** Puts the token of the private page on the website. */
async function putToken() {
  await owner.post(`${page}/token`, {})
  const token = /plc_\w{40}/.exec((await owner.get(page)).html)?.[0]
  head = `<meta name="placard-challenge" content="${token}">`
  expect(head).toContain('plc_')
}

async function prove() {
  await putToken()
  expect(await owner.post(`${page}/prove`, {})).toMatchObject({ status: 303, location: `${page}?done=prove` })
}

describe('the holder of a private link', () => {
  it('proves the website, keeps the link, and the listing says so', async () => {
    expect((await product()).html).toContain('<dt>Owner</dt><dd>Not verified</dd>')
    await prove()
    expect((await owner.get(`${page}?done=prove`)).html).toContain('The listing now says “Owner verified”.')
    expect((await owner.get(page)).html).toContain('by a tag on the page')
    const { html } = await product()
    expect(html).toMatch(/<dt>Owner<\/dt><dd>Verified in <time[^>]*>November 2026<\/time>/)
    expect(html).toContain('they proved that the website is theirs')
  })

  it('reads what is missing, and that nothing changed', async () => {
    await putToken()
    head = ''
    const { status, html } = await owner.post(`${page}/prove`, {})
    expect(status).toBe(422)
    expect(html).toContain('has no placard-challenge tag')
    const other = newVisitor(service)
    expect((await other.post(`${page}/prove`, {})).status).toBe(403)
    owner.cookies.delete('placard_proof')
    expect(await owner.post(`${page}/prove`, {})).toMatchObject({
      status: 400,
      html: expect.stringContaining('Your token has expired'),
    })
  })
})

describe('a listing that ended or was withdrawn', () => {
  const reopen = () => owner.post(`${page}/reopen`, {})
  const withdraw = () => owner.post(`${page}/withdraw`, { confirm: 'yes' })

  it('is shown again by an owner who proved the website, and by no other', async () => {
    await withdraw()
    expect(await reopen()).toMatchObject({ status: 403, html: expect.stringContaining('Prove below') })
    expect((await product()).status).toBe(410)
    await prove()
    expect(await reopen()).toMatchObject({ status: 303 })
    expect((await product()).status).toBe(200)
    const { id } = await store.db
      .selectFrom('decision')
      .select('id')
      .where('kind', '=', 'restore')
      .executeTakeFirstOrThrow()
    const headers = { [PROOF_HEADER]: credentials.secret }
    const decision = await (await fetch(`${service.url}${DECISIONS_PATH}/${id}`, { headers })).json()
    expect(decision).toMatchObject({ decision: 'The listing is shown again.', decidedBy: 'owner' })
    expect(await reopen()).toMatchObject({ status: 409, html: expect.stringContaining('The listing is published') })
  })

  it('gets a new term if its time is over, also if it was withdrawn before', async () => {
    await prove()
    for (const before of [async () => {}, withdraw]) {
      await before()
      service.clock.now += daysMs(61)
      expect((await product()).status).toBe(410)
      await visit(privateLink)
      expect((await reopen()).status).toBe(303)
      expect((await product()).status).toBe(200)
    }
  })

  it('is shown again also after an operator restored it by mistake, and undid that', async () => {
    await prove()
    await withdraw()
    const operator = newVisitor(service)
    await operator.post(`/console/enter/${await makeConsoleLink(store, 'Ada', service.clock.now)}`, {})
    const listing = `/console/listing/${slug}`
    const restore = buttonOf(await operator.get(listing), 'restore', await idOf(store, slug))
    await operator.post('/console/act', { slug, restore })
    expect((await product()).status).toBe(200)
    await operator.post('/console/undo', { id: undoId(await operator.get(listing)) ?? '' })
    expect((await product()).status).toBe(410)
    const { html } = await owner.get(page)
    expect(html).toContain('You withdrew it. You can show it again')
    expect(html).toContain('<dd>The listing was withdrawn by its owner.</dd>')
    expect(html).not.toContain('/appeal')
    expect((await reopen()).status).toBe(303)
    expect((await product()).status).toBe(200)
  })

  it.each([
    ['gave it a new term', 'restore', 200],
    ['hid it', 'hide', 410],
  ] as const)('stays down if the operator ended it, %s by mistake, and undid that', async (_what, act, meanwhile) => {
    await prove()
    await endListing(store, slug, 'too long', service.clock.now, { actor: 'operator:Ada' })
    const id = (await product()).decision ?? ''
    const operator = newVisitor(service)
    await operator.post(`/console/enter/${await makeConsoleLink(store, 'Ada', service.clock.now)}`, {})
    const listing = `/console/listing/${slug}`
    for (let times = 1; times <= 2; times++) {
      const button = buttonOf(await operator.get(listing), act, await idOf(store, slug))
      await operator.post('/console/act', { slug, [act]: button })
      expect((await product()).status).toBe(meanwhile)
      await operator.post('/console/undo', { id: undoId(await operator.get(listing)) ?? '' })
      expect(await product()).toMatchObject({ status: 410, decision: id })
    }
    expect((await owner.get(page)).html).not.toMatch(/show it again/i)
    expect(await reopen()).toMatchObject({ status: 409, html: expect.stringContaining('only an appeal') })
    expect((await owner.post(`${page}/appeal`, { statement: 'It goes on.' })).status).toBe(303)
    await decideAppeal(store, id, 'reversed', { name: 'Bo', explanation: 'So it does' }, service.clock.now)
    expect((await product()).status).toBe(200)
  })

  it('stays down if its page does not pass review', async () => {
    await prove()
    await withdraw()
    head += '<meta name="rating" content="adult">'
    expect(await reopen()).toMatchObject({ status: 422, html: expect.stringContaining('so the listing stays down') })
    expect((await product()).status).toBe(410)
  })

  it.each([
    ['hidden', 'took it down', () => hideListing(store, slug, 'against the rules', service.clock.now)],
    [
      'ended',
      'ended it early',
      () => endListing(store, slug, 'too long', service.clock.now, { actor: 'operator:Ada' }),
    ],
  ])('is not shown again if the operator has %s it', async (_how, did, takeDown) => {
    await prove()
    await takeDown()
    const { html } = await owner.get(page)
    expect(html).toContain(`The operator ${did}. The reasons are below.`)
    expect(html).not.toMatch(/show it again/i)
    expect(await reopen()).toMatchObject({ status: 409, html: expect.stringContaining('only an appeal') })
    // Nor by withdrawing it first.
    await withdraw()
    expect(await reopen()).toMatchObject({ status: 409, html: expect.stringContaining('only an appeal') })
    expect((await owner.get(page)).html).not.toContain('You can show it again')
    expect((await product()).status).toBe(410)
  })
})
