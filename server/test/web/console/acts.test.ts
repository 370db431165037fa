import { DECISION_HEADER, DECISIONS_PATH } from '@placard/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hidingDecision } from '../../../src/domain/decisions/record.ts'
import { putFinding } from '../../../src/domain/listings/flags.ts'
import { appealDecision } from '../../../src/domain/moderation/appeals/routes.ts'
import { raiseFindings } from '../../../src/domain/moderation/findings.ts'
import { CONTESTED } from '../../../src/domain/ownership/site-owner.ts'
import { applyEvent } from '../../../src/domain/payments/apply-event.ts'
import { settlePayment } from '../../../src/domain/payments/unplaced.ts'
import type { EventKind } from '../../../src/platform/db/tables/payments.ts'
import { daysMs } from '../../../src/platform/lib/time.ts'
import { SQLITE_FIRST } from '../../support/engines.ts'
import { eventOf, openTestCheckout, payFor } from '../../support/ledger.ts'
import { htmlFaults } from '../../support/page-faults.ts'
import { newCredentials } from '../../support/service.ts'
import { sendHtml } from '../../support/sites.ts'
import { openPrivatePage } from '../manage/owner.ts'
import { newVisitor } from '../visitor.ts'
import { fieldsOf, type Operating, startOperating } from './operating.ts'
import { buttonOf, idOf, undoId } from './operators.ts'

describe.each(SQLITE_FIRST)('operators on %s', engine => {
  let board: Operating

  beforeAll(async () => {
    board = await startOperating(engine)
  })
  afterAll(() => board.service.stop())

  it('open the website of an appeal against a refusal', async () => {
    const label = '<title>Refused</title><meta name="rating" content="adult"><p>Hello'
    board.service.sites.set('refused.com', (_request, response) => sendHtml(response, label))
    const credentials = newCredentials()
    const { headers } = await board.send('refused.com', credentials)
    await fetch(`${board.service.url}${DECISIONS_PATH}/${headers.get(DECISION_HEADER)}/appeal`, {
      method: 'POST',
      headers: { 'x-submission-secret': credentials.secret, 'content-type': 'application/json' },
      body: JSON.stringify({ statement: 'It is for everybody.' }),
    })
    const { html } = await (await board.enter('Ada')).get('/console?waiting=appeals')
    expect(html).toContain('Appeal against: Refused. The page is labelled or worded as adult content')
    expect(html).toMatch(/<h2><a href="http:\/\/refused.com\/" rel="noopener noreferrer nofollow">/)
  })

  describe('change the end of a listing', () => {
    it('with the commands: its receipt and the ledger follow, and its owner can contest an early end', async () => {
      const { slug, receipt, linkNow, publicUrl } = await board.listed('ends.com')
      const another = await board.listed('goes-on.com')
      const itsReceipt = await another.receipt()
      const link = await linkNow()
      expect(await board.json('end', slug, '--reason', 'Over', '--as', 'Ada')).toMatchObject({
        changed: true,
      })
      expect((await receipt()).status).toBe('expired')
      expect((await fetch(publicUrl)).status).toBe(410)
      expect(await board.json('end', slug, '--reason', 'Over')).toMatchObject({ changed: false })
      expect((await board.placard('reconcile')).code).toBe(0)

      const earliest = Date.now() + daysMs(10)
      const { expiresAt } = await board.json('extend', slug, '--reason', 'Not yet', '--days', '10')
      expect(expiresAt).toBeGreaterThanOrEqual(earliest)
      expect(await receipt()).toMatchObject({ status: 'published', expiresAt })
      expect(await another.receipt()).toEqual(itsReceipt)
      const shorter = await board.placard('extend', slug, '--reason', 'x', '--days', '5')
      expect(shorter).toMatchObject({ code: 1, output: expect.stringContaining('lasts at least that long') })
      for (const days of ['0', '61', '1.5', '-1']) {
        expect((await board.placard('extend', slug, '--reason', 'x', `--days=${days}`)).code).toBe(2)
      }
      expect((await board.placard('reconcile')).code).toBe(0)
      expect(await board.decisions('term')).toMatchObject([
        { reason: 'ended', actor: 'operator:Ada', ground: 'rules/operator@2' },
        { reason: 'extended', actor: 'operator:operator', ground: 'rules/operator@2' },
      ])

      await board.placard('end', slug, '--reason', 'Over <b>after</b> all', '--as', 'Ada')
      const id = (await fetch(publicUrl)).headers.get(DECISION_HEADER) ?? ''
      const owner = await openPrivatePage(link)
      expect((await owner.read()).html).toContain('Over &lt;b>after&lt;/b> all')
      expect((await owner.act('appeal', { statement: 'It goes on.' })).status).toBe(303)
      // Restored after it was hidden, it has still ended by the same decision.
      await board.placard('hide', slug, '--reason', 'x')
      await board.placard('restore', slug, '--reason', 'x')
      await board.placard('decide-appeal', id, 'reverse', '--reason', 'So it does', '--as', 'Bo')
      expect((await receipt()).status).toBe('published')
    })

    it('never of one with a paid place, and of a hidden one only once it is restored', async () => {
      const paid = await board.listed('paid.com')
      await payFor(board.store, 'paid.com', 'pi_paid', { amountCents: 2500, heardAt: Date.now() })
      for (const act of ['end', 'extend']) {
        const { code, output } = await board.placard(act, paid.slug, '--reason', 'x')
        expect([code, output]).toEqual([1, expect.stringContaining('has a paid place')])
      }
      const ada = await board.enter('Ada')
      expect((await ada.get(paid.page)).html).toContain('It has a paid place')
      // Refunded in full, it ends as a free one does, and may be ended.
      await applyEvent(board.store, eventOf('refunded', 'pi_paid'), Date.now())
      expect((await board.placard('end', paid.slug, '--reason', 'x')).code).toBe(0)
      const hidden = await board.listed('hidden.com')
      await board.placard('hide', hidden.slug, '--reason', 'x')
      expect((await board.placard('end', hidden.slug, '--reason', 'x')).output).toContain('restore it first')
      expect((await board.placard('reconcile')).code).toBe(0)
    })

    it('in the console, once of two at the same time, and undo it', async () => {
      const { receipt, page } = await board.listed('both.com')
      const before = (await receipt()).expiresAt
      const [ada, bo] = [await board.enter('Ada'), await board.enter('Bo')]
      const shown = await ada.get(page)
      expect(await htmlFaults(shown.html)).toEqual([])
      const form = { ...fieldsOf(shown, '/console/term'), explanation: 'Both', days: '60', to: 'end' }
      await Promise.all([ada, bo].map(each => each.post('/console/term', form)))
      const told = [await ada.get(page), await bo.get(page)]
      expect((await receipt()).status).toBe('expired')
      expect(told.filter(({ html }) => /is unchanged: <bdi>(Ada|Bo)<\/bdi> ended it/.test(html))).toHaveLength(1)
      const ids = told.map(undoId)
      expect(ids.filter(id => id !== undefined)).toHaveLength(1)
      const changes = await board.decisions('term')
      expect(changes.filter(({ facts }) => facts.explanation === 'Both')).toHaveLength(1)
      for (const [place, each] of [ada, bo].entries()) {
        const id = ids[place]
        if (id) await each.post('/console/undo', { id })
      }
      expect(await receipt()).toMatchObject({ status: 'published', expiresAt: before })
      const nothing = { ...fieldsOf(await ada.get(page), '/console/term'), explanation: ' ', to: 'end' }
      await ada.post('/console/term', nothing)
      expect((await ada.get(page)).html).toContain('The end was not changed')
    })
  })

  describe('feature a listing', () => {
    const home = async () => (await fetch(board.service.url)).text()

    it('with the commands: as a pick with a sentence and a name, until it is taken back', async () => {
      const [{ slug }, { slug: another }] = [await board.listed('picked.com'), await board.listed('also-picked.com')]
      const note = 'Eighty years of <b>weather</b>.'
      expect(await board.json('pick', slug, '--note', note, '--as', 'Ida')).toEqual({ slug, changed: true })
      expect(await board.json('pick', slug, '--note', note, '--as', 'Ida')).toEqual({ slug, changed: false })
      const html = await home()
      expect(html.slice(html.indexOf('id="picked"'))).toMatch(
        /Eighty years of &lt;b>weather.*<bdi>Ida<\/bdi>, operator/s,
      )
      expect(await (await fetch(`${board.service.url}/picks/feed.atom`)).text()).toContain('picked.com')
      for (const missing of [
        ['--as', 'Ida'],
        ['--note', 'x'],
      ]) {
        expect((await board.placard('pick', slug, ...missing)).code).toBe(2)
      }
      await board.placard('hide', slug, '--reason', 'x')
      expect(await home()).not.toContain('id="picked"')
      expect((await board.placard('pick', slug, '--note', 'x', '--as', 'Ida')).code).toBe(1)
      await board.placard('restore', slug, '--reason', 'x')
      expect(await home()).toContain('id="picked"')
      await board.json('pick', another, '--note', 'Also good.', '--as', 'Ada')
      expect(await board.json('unpick', slug, '--reason', 'Sold', '--as', 'Bo')).toEqual({ slug, changed: true })
      const left = await home()
      expect([left.includes('Also good.'), left.includes('Eighty years')]).toEqual([true, false])
      await board.json('pick', slug, '--note', 'Back.', '--as', 'Ada')
      for (const each of [slug, another]) await board.json('unpick', each, '--reason', 'Sold', '--as', 'Bo')
      const ends = await board.store.db.selectFrom('pick').select('endedAt').execute()
      expect(new Set(ends.map(({ endedAt }) => endedAt)).size).toBe(3)
      expect(await (await fetch(`${board.service.url}/picks`)).text()).toContain('Nothing is picked now')
      expect((await board.placard('unpick', 'none', '--reason', 'x')).code).toBe(1)
      expect(await board.decisions('pick', 'unpick')).toMatchObject([
        { kind: 'pick', actor: 'operator:Ida', ground: 'rules/featured@1', facts: { note } },
        { kind: 'pick', actor: 'operator:Ada' },
        { kind: 'unpick', actor: 'operator:Bo', facts: { explanation: 'Sold' } },
        { kind: 'pick', actor: 'operator:Ada' },
        { kind: 'unpick', actor: 'operator:Bo' },
        { kind: 'unpick', actor: 'operator:Bo' },
      ])
      expect((await board.placard('audit', 'verify')).code).toBe(0)
    })

    it('in the console, where one can also be left out of the draws', async () => {
      const { slug, page } = await board.listed('console-picked.com')
      const { slug: another } = await board.listed('left-out.com')
      const ada = await board.enter('Ada')
      const press = async (to: string, explanation: string) => {
        await ada.post('/console/feature', { ...fieldsOf(await ada.get(page), '/console/feature'), explanation, to })
        return (await ada.get(page)).html
      }
      const picked = await press('pick', 'Good.')
      expect(picked).toContain('Picked: it is on the home page now.')
      expect(picked).toMatch(/<strong>Picked<\/strong> by <bdi>Ada<\/bdi><\/p><p dir="auto">Good\.<\/p>/)
      expect(await htmlFaults(picked)).toEqual([])
      expect(await home()).toContain('<bdi>Ada</bdi>, operator of this site')
      expect(await press('pick', 'Again')).toContain('Nothing changed')
      expect(await press('unpick', ' ')).toContain('Enter a sentence')
      expect(await press('unpick', 'Over')).toContain('No longer picked.')

      const excluded = () => board.store.db.selectFrom('draw_exclusion').select('listingId').execute()
      expect(await press('exclude', 'Reported')).toContain('Left out of the draws')
      expect(await excluded()).toHaveLength(1)
      expect(await board.json('exclude', slug, '--reason', 'x')).toMatchObject({ changed: false })
      await board.json('exclude', another, '--reason', 'x')
      expect(await press('include', 'Fine')).toContain('Included in the draws again')
      expect(await excluded()).toHaveLength(1)
      expect(await board.decisions('exclude', 'include')).toMatchObject([
        { kind: 'exclude', actor: 'operator:Ada', reason: 'draws' },
        { kind: 'exclude', actor: 'operator:operator' },
        { kind: 'include', actor: 'operator:Ada' },
      ])
    })
  })

  describe('reissue a private link', () => {
    it('with the command: the old one ends at once, a repeat returns the new one, also after it is renewed', async () => {
      const { slug, linkNow } = await board.listed('lost.com')
      const another = await board.listed('not-lost.com')
      // The owner stays the same: these findings are about the page, and about who owns another one.
      const findings = [
        [slug, 'changed'],
        [another.slug, CONTESTED],
      ] as const
      for (const [about, kind] of findings) {
        const id = await idOf(board.store, about)
        await board.store.transact(trx => putFinding(trx, id, { kind, evidence: {} }, Date.now()))
      }
      const old = await linkNow()
      const visit = await openPrivatePage(old)
      const said = await board.placard('reissue-link', slug, '--reason', 'Showed us the DNS', '--as', 'Ada')
      const link = said.output.split('\n', 1).join()
      expect([said.code, link]).toEqual([0, await linkNow()])
      expect([(await openPrivatePage(old)).status, (await openPrivatePage(link)).status]).toEqual([404, 204])
      expect((await visit.read()).html).not.toContain('Published')

      const renewed = (await (await openPrivatePage(link)).act('renew', { link, confirm: 'yes' })).newLink
      expect(await linkNow()).toBe(renewed)
      const { privateLink } = await board.json('reissue-link', slug, '--reason', 'Lost again')
      expect(await linkNow()).toBe(privateLink)
      expect((await openPrivatePage(renewed ?? '')).status).toBe(404)

      // Nothing that is stored opens it.
      const token = link.split('#owner=')[1] ?? 'none'
      const rows = await board.store.db.selectFrom('renewed_link').selectAll().execute()
      expect(JSON.stringify([rows, await board.decisions('renew')])).not.toContain(token)
      expect((await board.decisions('renew'))[0]).toMatchObject({ reason: 'reissued', actor: 'operator:Ada' })
      await board.store.transact(trx => trx.deleteFrom('finding').execute())
    })

    it('in the console, on one page and never again; of two at the same time one', async () => {
      const { slug, page, linkNow } = await board.listed('lost-too.com')
      const [ada, bo] = [await board.enter('Ada'), await board.enter('Bo')]
      const form = { ...fieldsOf(await ada.get(page), '/console/reissue'), explanation: 'Known' }
      const shown = await Promise.all([ada, bo].map(each => each.post('/console/reissue', form)))
      expect(shown.map(({ status }) => status).sort()).toEqual([200, 303])
      const won = shown.find(({ status }) => status === 200)
      const link = /<pre[^>]*>([^<]+)<\/pre>/.exec(won?.html ?? '')?.[1]
      expect(link).toBe(await linkNow())
      expect(won?.headers.get('cache-control')).toBe('no-store')
      expect(await htmlFaults(won?.html ?? '')).toEqual([])
      // As a browser does that reloads the page.
      expect((await ada.post('/console/reissue', form)).status).toBe(303)
      expect(await linkNow()).toBe(link)
      const later = [await ada.get(page), await bo.get(page), await ada.get('/console/log')]
      expect(later.map(({ html }) => html.includes('#owner='))).toEqual([false, false, false])
      expect(later[0]?.html).toContain('this link was replaced in the meantime')
      const sessions = await board.store.db.selectFrom('console_session').selectAll().execute()
      expect(JSON.stringify(sessions)).not.toContain('owner=')
      expect((await bo.post('/console/reissue', { ...form, slug, explanation: '' })).status).toBe(303)
      expect(await linkNow()).toBe(link)
    })

    it('not of a listing that never had one', async () => {
      await payFor(board.store, 'never.com', 'pi_never', { amountCents: 2500, heardAt: Date.now() })
      const { slug } = await board.store.db
        .selectFrom('listing')
        .select('slug')
        .where('hostname', '=', 'never.com')
        .executeTakeFirstOrThrow()
      const { code, output } = await board.placard('reissue-link', slug, '--reason', 'x')
      expect([code, output]).toEqual([1, expect.stringContaining('never had a private link')])
    })
  })

  it('settle unmatched payments in the queue, beside the listing they were for, once, until more is heard', async () => {
    const { page, slug } = await board.listed('for-euros.com')
    const checkout = await openTestCheckout(board.store, 'for-euros.com')
    const heard = (kind: 'paid' | 'disputed', id: string, about = {}) =>
      applyEvent(board.store, eventOf(kind, id, about), Date.now())
    await heard('paid', 'pi_euro', { checkout, currency: 'eur' })
    await heard('paid', 'pi_lost', { sessionId: 'cs_of_nobody' })
    const [ada, bo] = [await board.enter('Ada'), await board.enter('Bo')]
    const queue = await ada.get('/console?waiting=payments')
    expect(await htmlFaults(queue.html)).toEqual([])
    expect(queue.html).toContain(`/console/listing/${slug}"`)
    expect(queue.html).toContain('A payment without a listing')
    // Their codes are for programs.
    expect(queue.html).toContain('Unmatched payment: paid $25.00 <code>pi_lost</code>')
    expect(queue.html).toContain('<p class="small">It matches no order. Find it at the processor')
    expect(queue.html).not.toContain('unknown_checkout')
    expect(queue.html).toContain('<p class="host">Stripe · <time')
    // Settled in the queue, it leads back there.
    expect(fieldsOf(queue, '/console/payment')).toMatchObject({ waiting: 'payments' })
    expect((await ada.get(page)).html).toContain('pi_euro')

    const form = { ...fieldsOf(await ada.get(page), '/console/payment'), explanation: 'Refunded by hand' }
    expect(form).toMatchObject({ id: 'pi_euro', slug })
    await ada.post('/console/payment', { ...form, explanation: '' })
    expect((await ada.get(page)).html).toContain('Nothing was settled')
    await Promise.all([ada, bo].map(each => each.post('/console/payment', form)))
    const told = [(await ada.get(page)).html, (await bo.get(page)).html]
    expect(told.filter(html => html.includes('pi_euro is settled. No money was moved.'))).toHaveLength(1)
    expect(told.filter(html => /(Ada|Bo) already settled the payment pi_euro: Refunded/.test(html))).toHaveLength(1)
    expect((await board.placard('payments', '--unplaced')).output).not.toContain('pi_euro')
    const settled = await board.placard('settle-payment', 'pi_lost', '--reason', 'A mistake', '--as', 'Bo')
    expect(settled.output).toBe('Payment pi_lost is settled. No money was moved.\n')
    expect((await board.placard('settle-payment', 'pi_none', '--reason', 'x')).code).toBe(1)
    expect((await board.placard('payments', '--unplaced')).output).toBe('There are no unmatched payments.\n')
    expect((await board.decisions('settle_payment')).map(({ reason, facts }) => [reason, facts])).toEqual([
      ['wrong_currency', { explanation: 'Refunded by hand', processor: 'stripe', paymentId: 'pi_euro' }],
      ['unknown_checkout', { explanation: 'A mistake', processor: 'stripe', paymentId: 'pi_lost' }],
    ])
    await heard('disputed', 'pi_lost', { sessionId: 'cs_of_nobody' })
    expect((await board.placard('payments', '--unplaced')).output).toContain('pi_lost')
    expect((await board.json('settle-payment', 'pi_lost', '--reason', 'Lost')).changed).toBe(true)
  })

  it('read how many unmatched payments the page leaves out', async () => {
    const ids = Array.from({ length: 101 }, (_, nth) => `pi_many_${nth}`)
    for (const id of ids) await applyEvent(board.store, eventOf('paid', id, { sessionId: 'cs_of_nobody' }), Date.now())
    const ada = await board.enter('Ada')
    expect((await ada.get('/console/payments')).html).toContain('1 more, shown as these are settled.')
    // More than the queue reads.
    const rest = Array.from({ length: 400 }, (_, nth) => `pi_more_${nth}`)
    for (const id of rest) await applyEvent(board.store, eventOf('paid', id, { sessionId: 'cs_of_nobody' }), Date.now())
    const { html } = await ada.get('/console?waiting=payments')
    expect(html).toContain('<h1>501 pending</h1>')
    expect(html).toContain('481 more follow as they are decided.')
    for (const id of [...ids, ...rest]) await settlePayment(board.store, id, 'Refunded', 'Ada', Date.now())
    const none = (await ada.get('/console/payments')).html
    expect(none).toContain('No unmatched payments')
    expect(none).not.toMatch(/shown as these|Settle these/)
  })

  it('settle no more of an unmatched payment than they saw', async () => {
    const heard = (kind: EventKind, about = {}) => applyEvent(board.store, eventOf(kind, 'pi_stale', about), Date.now())
    await heard('paid', { sessionId: 'cs_of_nobody' })
    const [ada, bo] = [await board.enter('Ada'), await board.enter('Bo')]
    const form = { ...fieldsOf(await ada.get('/console/payments'), '/console/payment'), explanation: 'Left as it is' }
    expect(form).toMatchObject({ id: 'pi_stale' })
    await heard('disputed')
    await ada.post('/console/payment', form)
    expect((await ada.get('/console/payments')).html).toContain('Nothing was settled: the processor reported more')
    expect((await board.placard('payments', '--unplaced')).output).toContain('pi_stale  paid $25.00, disputed $25.00')
    await bo.post('/console/payment', {
      ...fieldsOf(await bo.get('/console/payments'), '/console/payment'),
      explanation: 'Answered',
    })
    expect((await board.placard('payments', '--unplaced')).output).not.toContain('pi_stale')
  })

  it('see an unmatched payment in the currency in which it was paid, whatever a bank disputes it in', async () => {
    const checkout = await openTestCheckout(board.store, 'for-yen.com')
    const heard = (kind: EventKind, id: string, about: Parameters<typeof eventOf>[2]) =>
      applyEvent(board.store, eventOf(kind, id, about), Date.now())
    const amounts = async (id: string) =>
      (await board.placard('payments', '--unplaced')).output.split('\n').find(line => line.includes(id))
    await heard('paid', 'pi_yen', { checkout, currency: 'jpy', amountCents: 4000 })
    await heard('disputed', 'pi_yen', { currency: 'usd', amountCents: 2600 })
    expect(await amounts('pi_yen')).toContain(
      'paid 4,000 in the smallest unit of JPY, disputed 4,000 in the smallest unit of JPY',
    )
    await heard('dispute_lost', 'pi_yen', { currency: 'usd', amountCents: 2600 })
    expect((await board.placard('payments', '--unplaced')).output).toContain(
      'wrong_currency: It was not paid in US dollars, and was disputed. Answer the dispute at the processor if it is open.',
    )
    await heard('refunded', 'pi_unpaid', { currency: 'eur', amountCents: 1000 })
    await heard('disputed', 'pi_unpaid', { currency: 'usd', amountCents: 2600 })
    expect(await amounts('pi_unpaid')).toContain('refunded 1,000 in the smallest unit of EUR, disputed $26.00')
    for (const id of ['pi_yen', 'pi_unpaid']) await board.placard('settle-payment', id, '--reason', 'Done')
  })

  it('settle a finding as a decision, and its undoing is one, too', async () => {
    const { slug, page } = await board.listed('found.com')
    const id = await idOf(board.store, slug)
    const raised = { since: Date.now(), now: Date.now() }
    const evidence = { to: 'elsewhere.net' }
    await board.store.transact(trx => raiseFindings(trx, id, [{ kind: 'moved', evidence }], raised))
    const ada = await board.enter('Ada')
    await ada.post('/console/act', { slug, keep: buttonOf(await ada.get(page), 'keep', id) })
    await ada.post('/console/undo', { id: undoId(await ada.get(page)) ?? '' })
    const open = await board.json('findings')
    await board.placard('settle-finding', String(open.id), '--reason', 'The same people', '--as', 'Bo')
    const taken = (await board.decisions('settle_finding', 'outcome')).filter(({ actor }) => actor !== 'automatic')
    expect(taken.slice(-3).map(({ kind, reason, actor, facts }) => [kind, reason, actor, facts.finding])).toEqual([
      ['settle_finding', 'listing_kept', 'operator:Ada', 'moved'],
      ['outcome', 'reopened', 'operator:Ada', undefined],
      ['settle_finding', 'listing_kept', 'operator:Bo', 'moved'],
    ])
    expect((await ada.get(page)).html).toContain('The same people')
  })

  it('leave an appeal to another who may enter the console, though that one never decided anything', async () => {
    const { slug } = await board.listed('alone.com')
    await board.placard('hide', slug, '--reason', 'x', '--as', 'Dot')
    const id = (await hidingDecision(board.store.db, slug)) ?? ''
    await appealDecision(board.store, id, 'Why?', 'owner', Date.now())
    await board.placard('console-link', 'Eve')
    const { code, output } = await board.placard('decide-appeal', id, 'uphold', '--reason', 'x', '--as', 'Dot')
    expect([code, output]).toEqual([1, expect.stringMatching(/another operator must decide.*Eve/)])
    await board.placard('console-end', 'Eve')
    const again = await board.placard('decide-appeal', id, 'uphold', '--reason', 'x', '--as', 'Dot')
    expect(again.output).not.toContain('Eve')
  })

  it('do none of it from another website, nor without a session', async () => {
    const { slug, page, linkNow } = await board.listed('forged.com')
    const link = await linkNow()
    const [ada, nobody] = [await board.enter('Ada'), newVisitor(board.service)]
    const shown = await ada.get(page)
    const why = { explanation: 'x' }
    const forms = {
      block: { host: 'forged.com', ...why },
      term: { ...fieldsOf(shown, '/console/term'), ...why, to: 'end' },
      reissue: { ...fieldsOf(shown, '/console/reissue'), ...why },
      payment: { id: 'pi_lost', ...why },
      unblock: { host: 'forged.com', id: '' },
    }
    for (const [name, form] of Object.entries(forms)) {
      const from = { 'sec-fetch-site': 'cross-site' }
      expect((await ada.post(`/console/${name}`, form, from)).status).toBe(403)
      expect((await nobody.post(`/console/${name}`, form)).status).toBe(403)
    }
    expect(await linkNow()).toBe(link)
    expect((await board.placard('blocks')).output).not.toContain('forged.com')
    expect((await nobody.get('/console/blocks?host=forged.com')).html).not.toContain(slug)
  })

  it('keep a log that proves itself', async () => {
    await expect.poll(async () => (await board.placard('audit', 'verify')).output).toMatch(/^\d+ entries, log whole/)
  })
})
