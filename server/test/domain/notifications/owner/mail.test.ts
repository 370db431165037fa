// @module-tag slow
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { notifyFollower } from '../../../../src/domain/notifications/owner/notice.ts'
import { putMail } from '../../../../src/domain/notifications/owner/plan-mail.ts'
import type { Store } from '../../../../src/platform/db/store.ts'
import { daysMs } from '../../../../src/platform/lib/time.ts'
import { SQLITE_FIRST } from '../../../support/engines.ts'
import { operateHere } from '../../../support/operate.ts'
import { NOON, startTestService, type TestService } from '../../../support/service.ts'
import { sendHtml } from '../../../support/sites.ts'
import { openPrivatePage } from '../../../web/manage/owner.ts'
import { newVisitor } from '../../../web/visitor.ts'
import { linkIn, type MailServer, startMailServer } from './mail-server.ts'
import { ALL, listed, mailed, press } from './mailed.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

describe.each(SQLITE_FIRST)('the mail address of an owner on %s', engine => {
  let server: MailServer
  let service: TestService
  let store: Store
  beforeAll(async () => {
    server = await startMailServer()
    const env = {
      ...server.env,
      TRUSTED_PROXIES: '127.0.0.1',
      LIMIT_CHECKOUTS_PER_TEN_MINUTES_PER_IP: '100000',
    }
    service = await startTestService({ engine, env, jobsEveryMs: 100 })
    store = await service.database.openStore()
  })
  afterAll(async () => {
    await service.stop()
    await server.close()
  })

  let host = ''
  let address = ''
  let listings = 0
  beforeEach(() => {
    service.clock.now = NOON + daysMs(100 * listings)
    host = `mailed-${++listings}.com`
    address = `jane-${listings}@example.org`
    server.mails.length = 0
  })

  const rows = () =>
    store.db
      .selectFrom('owner_mail')
      .innerJoin('listing', 'listing.id', 'owner_mail.listingId')
      .selectAll('owner_mail')
      .where('hostname', '=', host)
      .execute()
  /** Plans a mail that no test waits for. */
  const planEnd = ({ id: addressId, listingId } = { id: '', listingId: 0 }) => {
    const planned = { kind: 'ends_tomorrow', facts: { endsAt: 0 } } as const
    return store.transact(trx => putMail(trx, { addressId, listingId }, planned, service.clock.now + daysMs(1)))
  }
  const dropEnds = () =>
    store.db.deleteFrom('outgoing_mail').where('kind', '=', 'ends_tomorrow').returning('addressId').execute()
  const text = (html: string) => html.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ')

  it('is confirmed by a button behind the link in its one mail', async () => {
    const { act, page } = await listed(service, host)
    expect((await act('mail', { address: ` ${address.toUpperCase()} `, ...ALL })).status).toBe(303)
    await expect.poll(() => server.mails.length).toBe(1)
    const [mail] = server.mails
    expect(mail).toMatchObject({ from: 'Placard <mail@placard.example>' })
    expect(mail?.to.toLowerCase()).toBe(address)
    expect(text(await page())).toMatch(/Confirm J…@example\.org/)
    // Nothing that the website says of itself: its recipient may know neither.
    expect(mail?.raw).not.toContain('Welcome to')

    // A program that scans links confirms nothing.
    const confirm = linkIn(mail, 'confirm')
    const shown = await fetch(service.url + confirm)
    expect(await shown.text()).toContain('Confirm</button>')
    expect(await rows()).toMatchObject([{ confirmedAt: null }])
    expect((await press(service, confirm, {})).status).toBe(403)
    const wrong = `${confirm.slice(0, -1)}x`
    expect((await press(service, wrong)).status).toBe(403)
    for (const link of [wrong, confirm.replace('confirm', 'off'), confirm.replace('confirm', 'open')]) {
      const opened = await fetch(service.url + link)
      expect([opened.status, text(await opened.text())]).toEqual([
        403,
        expect.stringContaining('This link doesn’t work'),
      ])
    }
    expect(await rows()).toMatchObject([{ confirmedAt: null }])

    for (let presses = 0; presses < 2; presses++) expect((await press(service, confirm)).status).toBe(200)
    expect(await rows()).toMatchObject([{ confirmedAt: service.clock.now }])
    expect(text(await page())).toMatch(/Mail goes to J…@example\.org/)
  })

  it('is forgotten after a day without confirmation, and gets one mail that day, whatever the listing', async () => {
    const { act, page } = await listed(service, host)
    await act('mail', { address, ...ALL })
    await expect.poll(() => server.mails.length).toBe(1)
    const other = await listed(service, `other-${host}`)
    const refused = await other.act('mail', { address: address.toUpperCase(), ...ALL })
    expect(refused.status).toBe(429)
    expect(text(refused.html)).toContain('one mail a day')
    // Turning it off and on does not help.
    await act('mail-off')
    expect((await act('mail', { address, ...ALL })).status).toBe(429)
    // Another address for the same listing may.
    expect((await act('mail', { address: `second-${address}`, ...ALL })).status).toBe(303)
    await expect.poll(() => server.mails.length).toBe(2)

    service.clock.now += 24 * HOUR_MS
    const late = linkIn(server.mails[1], 'confirm')
    expect((await press(service, late)).status).toBe(403)
    expect((await fetch(service.url + late)).status).toBe(403)
    expect(await page()).not.toContain('…@')
    expect((await other.act('mail', { address, ...ALL })).status).toBe(303)
    await expect.poll(() => server.mails.length).toBe(3)
    // The clock was wrong.
    service.clock.now -= 72 * HOUR_MS
    expect((await act('mail', { address, ...ALL })).status).toBe(303)
    await expect.poll(() => server.mails.length).toBe(4)
  })

  it('is replaced only once the new one is confirmed, and is deleted with the listing', async () => {
    const { act, page } = await mailed(service, server, host, address)
    await act('mail', { address: `new-${address}`, ...ALL })
    await expect.poll(() => server.to(`new-${address}`).length).toBe(1)
    expect(await rows()).toHaveLength(2)
    expect(text(await page())).toContain('Mail goes to j…@example.org')
    const [confirmed] = await rows()
    await planEnd(confirmed)
    // Choices hold for both, so that the new one does not bring back what was turned off meanwhile.
    await act('mail', { address: '', decided: 'yes', ends: 'yes' })
    expect(await rows()).toMatchObject([{ choices: 'ends,decided' }, { choices: 'ends,decided' }])
    // What is planned of a kind that is still chosen stays.
    expect(await dropEnds()).toEqual([{ addressId: confirmed?.id }])
    expect((await press(service, linkIn(server.to(`new-${address}`)[0], 'confirm'))).status).toBe(200)
    expect(await rows()).toMatchObject([{ choices: 'ends,decided' }])
    expect(text(await page())).toContain('Mail goes to n…@example.org')
    // Without an address, the form changes only what is sent.
    expect((await act('mail', { address: '', decided: 'yes' })).status).toBe(303)
    expect(await rows()).toMatchObject([{ choices: 'decided' }])

    await act('withdraw', { confirm: 'yes' })
    expect(await page()).not.toContain('…@')
    await expect.poll(() => server.to(`new-${address}`).length).toBe(2)
    const [, last] = server.to(`new-${address}`)
    expect(last?.headers.get('subject')).toBe(`${host} was withdrawn`)
    expect(last?.text.replaceAll(/\s+/g, ' ')).toContain('If it wasn’t you, prove the website at')
    expect(last?.text).toContain(`Lost it? ${service.url}/own\n`)
    await expect.poll(rows).toEqual([])
  })

  it('gets a mail, at most once a day, that another address may replace it', async () => {
    const { act } = await mailed(service, server, host, address)
    const enter = async (other: string) => {
      await act('mail', { address: other, ...ALL })
      await expect.poll(() => server.to(other).length).toBe(1)
    }
    await enter(`new-${address}`)
    await expect.poll(() => server.to(address).length).toBe(2)
    const [, told] = server.to(address)
    expect(told?.headers.get('subject')).toBe(`Another address for mail about ${host}`)
    expect(told?.text).toContain('Once it is confirmed there, we forget your address')
    expect(told?.raw).not.toContain('new-')
    await enter(`newer-${address}`)
    service.clock.now += 25 * HOUR_MS
    await enter(`newest-${address}`)
    await expect.poll(() => server.to(address).length).toBe(3)
    // A first address replaces none.
    expect(server.mails).toHaveLength(6)
  })

  it('gets a last mail if it is turned off on the private page, and is then forgotten', async () => {
    await mailed(service, server, host, address)
    const [theirs] = await rows()
    await planEnd(theirs)
    host = `another-${host}`
    address = `another-${address}`
    const { act, page } = await mailed(service, server, host, address)
    const off = await act('mail-off')
    expect([off.status, text(off.html)]).toEqual([303, expect.anything()])
    expect(await page()).not.toContain('…@')
    // The owner of another listing keeps what they chose, and what is planned for them.
    expect(await dropEnds()).toEqual([{ addressId: theirs?.id }])
    const choices = store.db
      .selectFrom('owner_mail')
      .select('choices')
      .where('id', '=', theirs?.id ?? '')
    expect(await choices.executeTakeFirst()).toEqual({ choices: theirs?.choices })
    await expect.poll(() => server.to(address).length).toBe(2)
    const [, told] = server.to(address)
    expect(told?.headers.get('subject')).toBe(`Mail about ${host} is off`)
    expect(told?.text).toContain('If it wasn’t you, enter your address again on the private page')
    // The forgotten address no longer opens the page.
    expect(told?.text).toContain(`Lost it? ${service.url}/own\n`)
    // Nothing is left to turn off.
    expect(told?.text).toContain(`on the private page of ${host}.\nPlacard, ${service.url}`)
    expect(told?.html).not.toContain('Turn off mail')
    expect([...(told?.headers.keys() ?? [])].filter(name => name.startsWith('list-'))).toEqual([])
    await expect.poll(rows).toEqual([])
  })

  it('gets no other mail while its last one is being sent', async () => {
    const { act } = await mailed(service, server, host, address)
    const [isUnderWay, mayArrive] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    server.beforeAnswer = async to => {
      if (to !== address) return undefined
      isUnderWay.resolve()
      await mayArrive.promise
      return undefined
    }
    await act('mail-off')
    await isUnderWay.promise
    // It is still stored.
    expect(await rows()).toHaveLength(1)
    await newVisitor(service).post('/own/mail', { website: host, address })
    const [{ listingId = 0 } = {}] = await rows()
    const waits = { kind: 'claim_waits', facts: { until: service.clock.now + daysMs(7) } } as const
    await store.transact(trx => notifyFollower(trx, listingId, waits, service.clock.now))
    const planned = store.db.selectFrom('outgoing_mail').select('kind').where('listingId', '=', listingId)
    expect(await planned.where('kind', '<>', 'confirm').execute()).toEqual([{ kind: 'off' }])
    server.beforeAnswer = async () => undefined
    mayArrive.resolve()
    await expect.poll(rows).toEqual([])
  })

  it('gets the mail that it is off even if another address is entered at once', async () => {
    const { act, page } = await mailed(service, server, host, address)
    await act('mail-off')
    await act('mail', { address: `thief-${address}`, ...ALL })
    await expect.poll(() => server.to(`thief-${address}`).length).toBe(1)
    await expect.poll(() => server.to(address).length).toBe(2)
    await expect.poll(rows).toMatchObject([{ confirmedAt: null }])
    expect(text(await page())).toContain('Confirm t…@example.org')
    // Turned off before it was confirmed, an address has asked for no mail.
    await act('mail-off')
    expect(await rows()).toEqual([])
  })

  it('is not replaced after all if its owner enters it again, such as after a slip in the new one', async () => {
    const { act, page } = await mailed(service, server, host, address)
    await act('mail', { address: `slip-${address}`, ...ALL })
    await expect.poll(() => server.to(`slip-${address}`).length).toBe(1)
    // Only the choices: the new one can still be confirmed.
    await act('mail', { address: '', ...ALL })
    expect(text(await page())).toContain('Confirm s…@example.org')
    await act('mail', { address, ...ALL })
    expect(text(await page())).not.toContain('s…@example.org')
    // The person who has the other address could otherwise open the private page.
    expect((await press(service, linkIn(server.to(`slip-${address}`)[0], 'confirm'))).status).toBe(403)
    expect(text(await page())).toContain('Mail goes to j…@example.org')
  })

  it('stays if its owner withdraws a listing that was taken down while the page was open', async () => {
    const { act, slug } = await mailed(service, server, host, address)
    const env = { BASE_URL: 'http://127.0.0.1:1', ...service.database.env }
    expect((await operateHere(env, 'hide', slug, '--reason', 'It sells no bread.')).code).toBe(0)
    const withdrawn = await act('withdraw', { confirm: 'yes' })
    expect(withdrawn.status).toBe(409)
    expect(text(withdrawn.html)).toContain('Nothing changed. The listing is no longer published.')
    // Otherwise, the owner would get no mail about the outcome of an appeal.
    expect(await rows()).toMatchObject([{ confirmedAt: expect.any(Number) }])
  })

  it('survives a new private link, which its page says; but not one that an operator gives', async () => {
    const { act, privateLink, slug } = await mailed(service, server, host, address)
    await act('mail', { address: `thief-${address}`, ...ALL })
    await expect.poll(() => server.to(`thief-${address}`).length).toBe(1)
    const renewed = await act('renew', { link: privateLink, confirm: 'yes' })
    expect(text(renewed.html)).toContain('Mail about this listing still goes to j…@example.org')
    // A person who saw the old link may have entered an address.
    expect((await press(service, linkIn(server.to(`thief-${address}`)[0], 'confirm'))).status).toBe(403)
    expect(await rows()).toMatchObject([{ confirmedAt: expect.any(Number) }])
    const env = { BASE_URL: 'http://127.0.0.1:1', ...service.database.env }
    const { output, code } = await operateHere(env, 'reissue-link', slug, '--reason', 'He proved it.')
    expect(output).toContain('#owner=')
    expect(code).toBe(0)
    expect(await rows()).toEqual([])
  })

  it('ends once another person proves the website, and that person is then notified of a later proof', async () => {
    const another = await mailed(service, server, `another-${host}`, `another-${address}`)
    server.mails.length = 0
    await mailed(service, server, host, address)
    await newVisitor(service).post('/own/mail', { website: host, address })
    await expect.poll(() => server.mails.length).toBe(2)
    const tokens: string[] = []
    service.sites.set(host, (_request, response) =>
      sendHtml(
        response,
        `<head>${tokens.map(token => `<meta name="placard-challenge" content="${token}">`).join('')}<title>Shop</title></head><p>Hello`,
      ),
    )
    /** Proves the website in a browser of their own. @returns the page */
    const prove = async () => {
      const [visitor, site] = [newVisitor(service), { address: `http://${host}/` }]
      const { html } = await visitor.get(`/own?${new URLSearchParams(site)}`)
      tokens.push(/content=(?:"|&quot;)(plc_\w{40})/.exec(html)?.[1] ?? '')
      return { visitor, html: (await visitor.post('/own/check', site)).html }
    }
    const { visitor, html } = await prove()
    expect(await rows()).toEqual([])
    expect(text(await another.page())).toMatch(/Mail goes to a…@example\.org/)
    expect((await press(service, linkIn(server.mails[1], 'open'))).status).toBe(403)

    // The page that shows the link takes an address, too.
    const [, form = '', fields = ''] = /<form method="post" action="([^"]+\/mail)">(.*?)<\/form>/s.exec(html) ?? []
    const chosen = [...fields.matchAll(/name="(\w+)" value="yes"/g)].map(([, name = '']) => [name, 'yes'])
    const theirs = `owner-${address}`
    expect(await visitor.post(form, { address: theirs, ...Object.fromEntries(chosen) })).toMatchObject({ status: 303 })
    expect(await rows()).toMatchObject([
      { choices: expect.stringMatching(/^overtaken,ends,decided,page_gone(?!.*summary)/) },
    ])
    const owner = await openPrivatePage(/<pre[^>]*data-private-link[^>]*>([^<]+)</.exec(html)?.[1] ?? '')
    // Nothing is chosen any more: the mail below is not one of the choices.
    expect((await owner.act('mail', { address: '' })).status).toBe(303)
    await expect.poll(() => server.to(theirs).length).toBe(1)
    await press(service, linkIn(server.to(theirs)[0], 'confirm'))
    expect((await prove()).html).toContain('Someone proved it before you')
    await expect.poll(() => server.to(theirs).length).toBe(2)
    expect(server.to(theirs)[1]?.text).toContain('To keep it, prove the website again on your private page')
  })

  it('is deleted by one click from a mail program, and by a button', async () => {
    const { page } = await mailed(service, server, host, address)
    const [mail] = server.mails
    expect(mail?.headers.get('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click')
    const off = /^<(.+)>$/.exec(mail?.headers.get('list-unsubscribe') ?? '')?.[1] ?? ''
    expect(new URL(off).pathname).toBe(linkIn(mail, 'off'))
    expect(await (await fetch(off)).text()).toContain('Turn off mail</button>')
    expect(await rows()).toHaveLength(1)
    const wrong = await fetch(`${off.slice(0, -1)}x`, { method: 'POST' })
    expect(wrong.status).toBe(403)
    expect(await rows()).toHaveLength(1)

    // As RFC 8058 has it: from elsewhere, without cookies, in either encoding.
    const form = new FormData()
    form.set('List-Unsubscribe', 'One-Click')
    const post = (body: FormData | URLSearchParams) =>
      fetch(off, { method: 'POST', body, headers: { 'sec-fetch-site': 'cross-site', origin: 'https://mail.example' } })
    expect((await post(form)).status).toBe(200)
    expect(await rows()).toEqual([])
    expect(await page()).not.toContain('…@')
    expect((await post(new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }))).status).toBe(200)
  })

  it('opens the private page of a lost link once, within 15 minutes', async () => {
    const { privateLink } = await mailed(service, server, host, address)
    const visitor = newVisitor(service)
    const ask = (website: string, typed: string) =>
      visitor.post('/own/mail', { website, address: typed }, { 'x-forwarded-for': '10.9.8.6' })
    const known = await ask(host, address.toUpperCase())
    expect(known.status).toBe(200)
    await expect.poll(() => server.mails.length).toBe(2)
    const mail = server.mails[1]
    // It is not the private link, nor can it be made into one.
    expect(mail?.raw).not.toContain(new URL(privateLink).hash.replace('#owner=', ''))
    expect(mail?.raw).not.toContain('owner=')
    // The reply is the same whether there is an address or not.
    for (const [website, typed] of [
      [host, `no-${address}`],
      [`no-${host}`, address],
    ]) {
      const unknown = await ask(website as string, typed as string)
      expect({ status: unknown.status, html: unknown.html }).toEqual({ status: 200, html: known.html })
    }
    const open = linkIn(mail, 'open')
    expect((await visitor.get(open)).html).toContain('Open it</button>')
    // One for another listing, or for something else, opens nothing.
    expect((await visitor.post(open.replace('/open/', '/confirm/'), {})).status).toBe(403)
    await planEnd((await rows())[0])
    const opened = await visitor.post(open, {})
    expect(opened.status).toBe(303)
    expect(opened.location).toBe(new URL(privateLink).pathname)
    expect(await dropEnds()).toHaveLength(1)
    expect((await visitor.get(opened.location ?? '')).html).toContain('Change your listing')
    expect((await newVisitor(service).post(open, {})).status).toBe(403)
    expect((await newVisitor(service).get(open)).status).toBe(403)
    expect((await newVisitor(service).get(opened.location ?? '')).html).not.toContain('Change your listing')

    await ask(`https://www.${host}/`, address)
    await expect.poll(() => server.mails.length).toBe(3)
    service.clock.now += 15 * MINUTE_MS
    expect((await visitor.post(linkIn(server.mails[2], 'open'), {})).status).toBe(403)
    // An address gets five links a day, of which one network can use up four.
    for (let nth = 3; nth < 8; nth++) await ask(host, address)
    await expect.poll(() => server.mails.length).toBe(5)
    const planned = () =>
      store.db
        .selectFrom('outgoing_mail')
        .innerJoin('listing', 'listing.id', 'outgoing_mail.listingId')
        .select('kind')
        .where('hostname', '=', host)
        .where('sendAt', 'is not', null)
        .execute()
    await expect.poll(planned).toEqual([])
    expect(server.mails).toHaveLength(5)
  })

  it('opens nothing after a new private link, and cannot be asked for too often', async () => {
    const { act, privateLink } = await mailed(service, server, host, address)
    const headers = { 'x-forwarded-for': '10.9.8.7' }
    const ask = (typed: string) => newVisitor(service).post('/own/mail', { website: host, address: typed }, headers)
    await ask(address)
    await expect.poll(() => server.mails.length).toBe(2)
    await act('renew', { link: privateLink, confirm: 'yes' })
    expect((await press(service, linkIn(server.mails[1], 'open'))).status).toBe(403)
    for (let nth = 1; nth < 10; nth++) expect((await ask(`no-${nth}@example.org`)).status).toBe(200)
    for (const typed of [address, 'nobody@example.org']) expect((await ask(typed)).status).toBe(429)
    expect((await newVisitor(service).post('/own/mail', { website: 'no', address }, headers)).status).toBe(400)
  })

  it('cannot be used up by a stranger', async () => {
    await mailed(service, server, host, address)
    const ask = (from: string, website = host) =>
      newVisitor(service).post('/own/mail', { website, address }, { 'x-forwarded-for': from })
    await mailed(service, server, `theirs-${host}`, `theirs-${address}`)
    for (let nth = 0; nth < 5; nth++) await ask('10.9.6.1', `other-${host}`)
    for (let nth = 0; nth < 5; nth++) await ask('10.9.6.3', `theirs-${host}`)
    for (let nth = 0; nth < 6; nth++) await ask('10.9.6.2')
    await expect.poll(() => server.mails.length).toBe(6)
    await ask('10.9.5.1')
    await expect.poll(() => server.mails.length).toBe(7)
  })

  it.each([
    'jane',
    'jane@localhost',
    '"jane doe"@example.org',
    'Jane <jane@example.org>',
    'jane@example.org, joe@example.org',
    'jane@example.org;joe@example.org',
    'jane@example.org\r\nBcc: joe@example.org',
    'jane\r\nBcc:joe@example.org',
    'jane@example.org\0',
    'jäne@example.org',
    'jane@exämple.org',
    'jane@example..org',
    '.jane@example.org',
    'jane.@example.org',
    'jane@-example.org',
    'jane@[127.0.0.1]',
    'jane(comment)@example.org',
    'jane@joe@example.org',
    `${'j'.repeat(65)}@example.org`,
    `jane@${'e'.repeat(64)}.org`,
    `jane@${'example.'.repeat(40)}org`,
    'x'.repeat(3_000),
  ])('refuses %j with a clear sentence', async typed => {
    const { act } = await listed(service, host)
    const refused = await act('mail', { address: typed, ...ALL })
    expect(refused.status).toBe(400)
    expect(text(refused.html)).toContain('Enter one plain mail address, such as jane@example.org')
    expect((await newVisitor(service).post('/own/mail', { website: host, address: typed })).status).toBe(400)
    expect(await rows()).toEqual([])
  })

  it('stays in its form if it is refused, with the choices, unless it may hold a private link', async () => {
    const { act } = await listed(service, host)
    const { html } = await act('mail', { address: 'jane@exam ple.org', drawn: 'yes' })
    expect(html).toMatch(/<input(?=[^>]* name="address")(?=[^>]* type="email")[^>]* value="jane@exam ple.org"/)
    expect(html.match(/type="checkbox" name="\w+" value="yes" checked/g)).toEqual([expect.stringContaining('"drawn"')])
    const lost = await newVisitor(service).post('/own/mail', { website: host, address: 'jane@exam ple.org' })
    expect(lost.html).toContain('value="jane@exam ple.org"')
    const link = `#owner=${'K'.repeat(43)}`
    expect((await act('mail', { address: link, ...ALL })).html).not.toContain('KKKK')
    expect((await newVisitor(service).post('/own/mail', { website: host, address: link })).html).not.toContain('KKKK')
  })

  it('is in no plain export, and no file of the database', async () => {
    address = `unlikely.name+tag-${listings}@sub.example.org`
    await mailed(service, server, host, address)
    await newVisitor(service).post('/own/mail', { website: host, address })
    await expect.poll(() => server.mails.length).toBe(2)
    const file = join(service.database.dataDir, 'export.jsonl')
    const { code, output } = await operateHere(service.database.env, 'export', file)
    expect([code, output]).toEqual([0, expect.anything()])
    const exported = readFileSync(file, 'utf8')
    const stored = (await rows())[0]?.address ?? 'none'
    expect(exported).toContain(stored)
    expect(exported).not.toMatch(/unlikely\.name/i)
    expect(Buffer.from(stored, 'base64url').toString()).not.toMatch(/unlikely/i)
  })
})
