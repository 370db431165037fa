import {
  DECISION_HEADER,
  DECISIONS_PATH,
  type DecisionStatement,
  type ErrorBody,
  type Receipt,
  STATEMENT_MAX_LENGTH,
} from '@placard/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { AnotherDecides, decideAppeal } from '../../../../src/domain/moderation/appeals/decide-appeal.ts'
import { APPEALS_PER_HOUR } from '../../../../src/domain/moderation/appeals/routes.ts'
import type { Store } from '../../../../src/platform/db/store.ts'
import { CONTEST_DAYS } from '../../../../src/platform/db/tables/decisions.ts'
import { daysMs } from '../../../../src/platform/lib/time.ts'
import { SQLITE_FIRST } from '../../../support/engines.ts'
import { operateHere } from '../../../support/operate.ts'
import { htmlFaults } from '../../../support/page-faults.ts'
import {
  type Credentials,
  newCredentials,
  publish,
  publishBody,
  reply,
  startTestService,
  type TestService,
} from '../../../support/service.ts'
import { sendHtml } from '../../../support/sites.ts'
import { openPrivatePage } from '../../../web/manage/owner.ts'
import { newVisitor } from '../../../web/visitor.ts'

const PARKED = '<!doctype html><title>This domain is for sale</title><p>Buy this domain now.</p>'
const FROM = '203.0.113.77'
const NO_DECISION = '01991f3e-5c00-7a3b-9d51-3f2f8c6c2b10'

describe.each(SQLITE_FIRST)('decisions and appeals on %s', engine => {
  let service: TestService
  let store: Store

  beforeAll(async () => {
    service = await startTestService({ engine, env: { TRUSTED_PROXIES: '127.0.0.1' } })
    store = await service.database.openStore()
  })
  afterAll(() => service.stop())
  beforeEach(() => {
    // The command uses the real time, so the service does too.
    service.clock.now = Date.now()
  })

  const placard = (...args: string[]) => operateHere(service.database.env, ...args)
  const send = (credentials: Credentials, host: string) =>
    publish(service, credentials, publishBody(`http://${host}/`), { 'x-forwarded-for': FROM })
  const idIn = ({ headers }: { headers: Headers }) => headers.get(DECISION_HEADER) ?? ''
  const slugOf = ({ productUrl }: Receipt) => productUrl.split('/').at(-1) ?? ''

  let clients = 0
  const asks = (secret: string) => ({
    'x-submission-secret': secret,
    'x-forwarded-for': `10.1.${clients >> 8}.${++clients & 255}`,
  })
  const read = async (id: string, { secret }: { secret: string }) =>
    reply<DecisionStatement & ErrorBody>(
      await fetch(`${service.url}${DECISIONS_PATH}/${id}`, { headers: asks(secret) }),
    )
  const appeal = async (id: string, { secret }: { secret: string }, body: unknown) =>
    reply<DecisionStatement & ErrorBody>(
      await fetch(`${service.url}${DECISIONS_PATH}/${id}/appeal`, {
        method: 'POST',
        headers: { ...asks(secret), 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    )

  /** Returns what the outcome of an appeal says of its effect. @param id of the appealed decision */
  async function leftToDo(id: string, credentials: Credentials) {
    const { outcome } = (await read(id, credentials)).body.appeal ?? {}
    return (await read(outcome?.id ?? '', credentials)).body.contest.how
  }

  /** A website that looks parked, refused. */
  async function refused(host: string) {
    service.sites.set(host, (_request, response) => sendHtml(response, PARKED))
    const credentials = newCredentials()
    const first = await send(credentials, host)
    expect([first.status, first.body.reason]).toEqual([422, 'parked_domain'])
    return { credentials, first, id: idIn(first) }
  }

  async function listed(host: string) {
    const credentials = newCredentials()
    const { status, body } = await send(credentials, host)
    expect(status).toBe(201)
    return { credentials, receipt: body as Receipt, slug: slugOf(body) }
  }

  describe('a refusal', () => {
    it('names its decision, and the secret opens the reasons', async () => {
      const { credentials, first, id } = await refused('parked.com')
      const again = await send(credentials, 'parked.com')
      expect([again.status, again.body, idIn(again)]).toEqual([422, first.body, id])
      const { status, body, headers } = await read(id, credentials)
      expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
      expect(body).toMatchObject({
        id,
        kind: 'refuse',
        decidedAt: service.clock.now,
        decidedBy: 'automatic',
        reason: 'parked_domain',
        decision: 'The website was not listed. The domain looks parked or for sale.',
        automated: { detection: true, decision: true },
        about: { website: 'parked.com' },
        ground: { id: 'rules/review', version: 1, kind: 'rule', url: `${service.url}/rules` },
        facts: {
          verdicts: expect.arrayContaining([expect.objectContaining({ outcome: 'reject', reason: 'parked_domain' })]),
          fetched: { url: 'http://parked.com/', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
        },
        contest: {
          isPossible: true,
          until: service.clock.now + daysMs(CONTEST_DAYS),
          appealUrl: `${service.url}${DECISIONS_PATH}/${id}/appeal`,
        },
      })
      // Nothing by which the client could be known.
      expect(JSON.stringify(body)).not.toContain(FROM)
    })

    it('belongs to one secret: an unknown decision and a foreign one get the same answer', async () => {
      const [mine, theirs] = [await refused('mine.com'), await refused('theirs.com')]
      const foreign = await read(theirs.id, mine.credentials)
      expect(foreign.body.error).toContain('Send the X-Submission-Secret of the submission that was decided about.')
      for (const id of [NO_DECISION, 'x', 'x'.repeat(90), '%00', "'"]) {
        const unknown = await read(id, mine.credentials)
        expect([unknown.status, unknown.body]).toEqual([404, foreign.body])
      }
      const statement = { statement: 'It is not so.' }
      expect((await appeal(theirs.id, mine.credentials, statement)).body).toEqual(foreign.body)
      expect((await appeal(NO_DECISION, mine.credentials, statement)).body).toEqual(foreign.body)
      expect((await read(theirs.id, theirs.credentials)).body.appeal).toBeUndefined()
      for (const secret of ['', 'ab', 'z'.repeat(64)]) {
        const { body } = await read(theirs.id, { secret })
        expect(body.code).toBe('invalid_submission_secret')
        expect(body.error).not.toContain('Make one')
      }
    })

    it('is contested once: the same statement again changes nothing, another is refused', async () => {
      const { credentials, id } = await refused('contested.com')
      for (const wrong of [{}, { statement: '' }, { statement: 5 }, { statement: 'x', more: 1 }]) {
        expect((await appeal(id, credentials, wrong)).status).toBe(400)
      }
      expect((await appeal(id, credentials, { statement: 'x'.repeat(1001) })).status).toBe(400)
      expect((await appeal(id, credentials, { statement: ' \u202e ' })).body.code).toBe('invalid_statement')
      const link = { statement: 'see /manage/#owner=abc' }
      expect((await appeal(id, credentials, link)).body.code).toBe('invalid_statement')

      const statement = { statement: 'The shop is ours. 😀' }
      const [one, two] = await Promise.all([1, 2].map(() => appeal(id, credentials, statement)))
      expect([one?.status, two?.status]).toEqual([200, 200])
      expect(one?.body.appeal).toMatchObject(statement)
      expect(two?.body.appeal).toEqual(one?.body.appeal)
      expect(one?.body.contest.isPossible).toBe(false)
      const other = await appeal(id, credentials, { statement: 'Something else.' })
      expect([other.status, other.body.code]).toEqual([409, 'already_appealed'])
    })

    it('cannot be contested after six months, nor an acceptance ever', async () => {
      const { credentials, id } = await refused('too-late.com')
      service.clock.now += daysMs(CONTEST_DAYS)
      const late = await appeal(id, credentials, { statement: 'Late.' })
      expect([late.status, late.body.code]).toEqual([409, 'not_contestable'])
      expect((await read(id, credentials)).body.contest.isPossible).toBe(false)
      const { credentials: owner, receipt } = await listed('accepted.com')
      const accepted = await read(receipt.requestId, owner)
      expect([accepted.body.kind, accepted.body.contest.isPossible]).toEqual(['accept', false])
      expect((await appeal(receipt.requestId, owner, { statement: 'No.' })).body.code).toBe('not_contestable')
    })

    it('is contested at full length in any script, also by clients that escape every letter', async () => {
      const { credentials, id } = await refused('long-words.com')
      const statement = 'щ'.repeat(STATEMENT_MAX_LENGTH)
      const body = JSON.stringify({ statement }).replaceAll('щ', '\\u0449')
      const headers = { ...asks(credentials.secret), 'content-type': 'application/json' }
      const sent = await fetch(`${service.url}${DECISIONS_PATH}/${id}/appeal`, {
        method: 'POST',
        headers,
        body,
      })
      expect(sent.status).toBe(200)
      expect(((await sent.json()) as DecisionStatement).appeal?.statement).toBe(statement)
    })

    it('that is upheld stays, and says so', async () => {
      const { credentials, first, id } = await refused('upheld.com')
      await appeal(id, credentials, { statement: 'It is a shop.' })
      expect((await placard('appeals')).output).toContain(
        `upheld.com  refuse: parked_domain  (by automatic)\n    owner: It is a shop.\n`,
      )
      expect(await placard('decide-appeal', id, 'uphold', '--as', 'bob', '--reason', 'It is for sale.')).toEqual({
        code: 0,
        output: `The appeal against ${id} (upheld.com) is rejected: the decision stands.\n`,
      })
      expect((await placard('decide-appeal', id, 'reverse', '--reason', 'no')).output).toBe(
        `The appeal against ${id} (upheld.com) was already rejected: the decision stands.\n`,
      )
      const { body } = await read(id, credentials)
      expect(body.appeal?.outcome).toMatchObject({ result: 'upheld', explanation: 'It is for sale.' })
      // Who decided stays inside.
      expect(JSON.stringify(body)).not.toContain('bob')
      const again = await send(credentials, 'upheld.com')
      expect([again.status, again.body, idIn(again)]).toEqual([422, first.body, id])
      expect((await placard('appeals')).output).not.toContain('upheld.com')
    })

    it('that is reversed lets the same key try once more, past what it was refused for', async () => {
      const { credentials, id } = await refused('reversed.com')
      const other = await refused('not-reversed.com')
      const visits = () => service.sites.visits('reversed.com')
      await appeal(id, credentials, { statement: 'It is a shop.' })
      await placard('decide-appeal', id, 'reverse', '--as', 'bob', '--reason', 'So it is.')
      const { body } = await read(id, credentials)
      expect(body.appeal?.outcome?.result).toBe('reversed')
      expect(body.contest.how).toContain('Repeat the original request once more')
      expect(await leftToDo(id, credentials)).toBe(
        'Repeat the original request once more, with the same key, secret and body.',
      )
      expect(visits()).toBe(1)

      // It is the only key: another one of the same client is another submission.
      expect((await send(newCredentials(), 'reversed.com')).status).toBe(422)
      const now = await send(credentials, 'reversed.com')
      expect([now.status, visits()]).toEqual([201, 3])
      const replayed = await send(credentials, 'reversed.com')
      expect([replayed.status, replayed.body]).toEqual([200, now.body])
      const accepted = await store.db
        .selectFrom('decision')
        .select(['kind', 'facts'])
        .where('requestId', '=', body.about.requestId ?? '')
        .where('kind', '=', 'accept')
        .executeTakeFirstOrThrow()
      expect(JSON.parse(accepted.facts ?? '')).toMatchObject({ admits: ['parked_domain'] })
      const still = await send(other.credentials, 'not-reversed.com')
      expect([still.status, idIn(still)]).toEqual([422, other.id])
    })

    it('that is reversed admits no sign that was not judged', async () => {
      const { credentials, id } = await refused('more-signs.com')
      await appeal(id, credentials, { statement: 'It is a shop.' })
      await placard('decide-appeal', id, 'reverse', '--reason', 'So it is.')
      service.sites.set('more-signs.com', (_request, response) =>
        sendHtml(response, `${PARKED}<p>This domain is parked.`),
      )
      const second = await send(credentials, 'more-signs.com')
      expect([second.status, second.body.reason]).toEqual([422, 'parked_domain'])
      const { body } = await read(idIn(second), credentials)
      expect(body.facts?.verdicts).toContainEqual(
        expect.objectContaining({ evidence: { signs: ['for_sale', 'parked', 'buy'] } }),
      )
    })

    it('that is reversed never admits a blocked host: unblocking does', async () => {
      const host = 'blocked-appeal.com'
      await placard('block', host, '--reason', 'Spam.', '--as', 'anna')
      const credentials = newCredentials()
      const id = idIn(await send(credentials, host))
      await appeal(id, credentials, { statement: 'It is not.' })
      await placard('decide-appeal', id, 'reverse', '--as', 'bob', '--reason', 'So it is.')
      const still = await send(credentials, host)
      expect([still.status, still.body.reason]).toEqual([422, 'blocklisted'])
      await appeal(idIn(still), credentials, { statement: 'It is not.' })
      await placard('decide-appeal', idIn(still), 'reverse', '--as', 'bob', '--reason', 'So it is.')
      await placard('unblock', host, '--reason', 'No spam.', '--as', 'anna')
      expect((await send(credentials, host)).status).toBe(201)
    })

    it('that is reversed does not admit whatever else is wrong by then: that is another decision', async () => {
      const { credentials, id } = await refused('worse.com')
      await appeal(id, credentials, { statement: 'It is a shop.' })
      await placard('decide-appeal', id, 'reverse', '--reason', 'So it is.')
      service.sites.set('worse.com', (_request, response) => response.writeHead(404).end())
      const second = await send(credentials, 'worse.com')
      expect([second.status, second.body.reason]).toEqual([422, 'not_found'])
      expect(idIn(second)).not.toBe(id)
      const replayed = await send(credentials, 'worse.com')
      expect([replayed.body, idIn(replayed)]).toEqual([second.body, idIn(second)])
      expect((await read(idIn(second), credentials)).body).toMatchObject({ reason: 'not_found' })
      expect((await read(id, credentials)).body).toMatchObject({ reason: 'parked_domain' })
      // Reversing that one, too, takes nothing back.
      await appeal(idIn(second), credentials, { statement: 'It was down.' })
      await placard('decide-appeal', idIn(second), 'reverse', '--reason', 'So it was.')
      service.sites.set('worse.com', (_request, response) => sendHtml(response, PARKED))
      expect((await send(credentials, 'worse.com')).status).toBe(201)
    })
  })

  it('tells the owner of a listed page that a reviewer noted something, and not what', async () => {
    service.sites.set('paypa1.com', (_request, response) =>
      sendHtml(response, '<!doctype html><title>Notes</title><p>Some notes about many things.</p>'),
    )
    const { credentials, receipt } = await listed('paypa1.com')
    const { body } = await read(receipt.requestId, credentials)
    expect(body.kind).toBe('accept')
    const noted = { reviewer: 'look-alikes', version: expect.any(String), outcome: 'flag', reason: 'policy' }
    expect(body.facts?.verdicts).toContainEqual(noted)
  })

  describe('a hidden listing', () => {
    async function hidden(host: string, as: string) {
      const listing = await listed(host)
      await placard('hide', listing.slug, '--reason', 'It sells what it may not.', '--as', as)
      const page = await fetch(listing.receipt.productUrl)
      const again = await send(listing.credentials, host)
      expect([page.status, again.body.status, idIn(page)]).toEqual([410, 'unavailable', idIn(again)])
      return { ...listing, id: idIn(page) }
    }

    it('says why on its private page, which takes the appeal, and another operator decides', async () => {
      const listing = await listed('shop.com')
      await placard('hide', listing.slug, '--reason', 'It sells what it may not.', '--as', 'anna')
      await placard('restore', listing.slug, '--reason', 'Anybody acts.', '--as', 'bob')
      expect((await fetch(listing.receipt.productUrl)).headers.has(DECISION_HEADER)).toBe(false)
      const owner = await openPrivatePage(listing.receipt.ownership.privateRecoveryUrl ?? '')
      expect((await owner.act('appeal', { statement: 'Why?' })).status).toBe(409)
      const ground = ['--ground', 'law/illegal-content']
      await placard('hide', listing.slug, '--reason', 'It sells <b>weapons</b>.', '--as', 'anna', ...ground)
      const id = idIn(await fetch(listing.receipt.productUrl))

      const page = (await owner.read()).html
      expect(page).toContain('Why it is down')
      // A moment after it was made, it has its entry in the log.
      const unlogged = ({ logIndex: _, ...statement }: DecisionStatement) => statement
      const inSession = await owner.read('/decision')
      const { body: bySecret } = await read(id, listing.credentials)
      expect(unlogged(JSON.parse(inSession.html))).toEqual(unlogged(bySecret))
      const [address] = listing.receipt.ownership.privateRecoveryUrl?.split('#') ?? []
      expect((await fetch(`${address}/decision`)).status).toBe(404)
      expect(page).toContain('It sells &lt;b>weapons&lt;/b>.')
      expect(page).toContain('law/illegal-content@1')
      expect(page).not.toContain('anna')
      // The page has a form in place of the API.
      expect(bySecret.contest.how).toContain('on the private page or by the API (appealUrl): say')
      expect(page).toContain('on the private page: say')
      expect(await htmlFaults(page)).toEqual([])
      expect((await owner.act('appeal', { statement: '' })).status).toBe(400)
      const refused = await owner.act('appeal', { statement: 'We <sell> bread. See /manage/#owner=abc' })
      expect(refused.status).toBe(400)
      expect(refused.html).toMatch(/<textarea[^>]*>We &lt;sell> bread\. See/)
      // As long as it may be, in letters that forms send as nine bytes each.
      const statement = `We sell\r\nbread.${'面'.repeat(STATEMENT_MAX_LENGTH - 14)}`
      const sent = await owner.act('appeal', { statement })
      expect([sent.status, sent.headers.get('location')]).toEqual([303, expect.stringMatching(/done=appeal$/)])
      expect((await owner.read()).html).toContain('We sell bread.面')

      const mine = await placard('decide-appeal', id, 'uphold', '--as', 'anna', '--reason', 'I was right.')
      expect([mine.code, mine.output]).toEqual([1, expect.stringContaining('another operator must decide')])
      const decided = ['decide-appeal', id, 'reverse', '--as', 'bob', '--reason', 'It is bread.']
      expect((await placard(...decided)).output).toContain('is granted: the decision is reversed.')
      expect((await fetch(listing.receipt.productUrl)).status).toBe(200)
      expect((await owner.read()).html).toMatch(/Your appeal was granted .+<q dir="auto">It is bread\.<\/q>/)
      expect((await send(listing.credentials, 'shop.com')).body).toEqual(listing.receipt)
      const { body } = await read(id, listing.credentials)
      expect(body).toMatchObject({ kind: 'hide', decidedBy: 'operator', reason: 'illegal' })
      expect(body.scope.duration).toContain('reversed')
      const restored = await store.db
        .selectFrom('decision')
        .select(['actor', 'reason'])
        .where('about', '=', id)
        .where('kind', '=', 'restore')
        .execute()
      expect(restored).toEqual([{ actor: 'operator:bob', reason: 'reversed' }])
      const how = async () => (await read(body.appeal?.outcome?.id ?? '', listing.credentials)).body.contest.how
      expect(await how()).toBe('The listing is shown again.')
      const { now } = service.clock
      await store.db.updateTable('listing').set({ expiresAt: now }).where('hostname', '=', 'shop.com').execute()
      expect(await how()).toBe('The time of the listing has ended since.')
    })

    it('is decided by who took the decision, once no other operator has decided anything for 90 days', async () => {
      const { id, credentials } = await hidden('left-alone.com', 'anna')
      await appeal(id, credentials, { statement: 'No.' })
      const decide = (at: number) =>
        decideAppeal(store, id, 'upheld', { name: 'anna', explanation: 'I was right.' }, at)
      await expect(decide(Date.now())).rejects.toThrow(AnotherDecides)
      // Access to the console does not make an operator another one.
      await store.db.insertInto('console_operator').values({ name: 'anna', linkedAt: Date.now() }).execute()
      expect(await decide(Date.now() + daysMs(91))).toMatchObject({ result: 'upheld', changed: true })
      expect(await leftToDo(id, credentials)).toMatch(/^You cannot appeal again\. /)
    })

    it('is not restored by the appeal against an older decision, and one its owner withdrew not by any', async () => {
      const { slug, receipt, credentials, id } = await hidden('twice-hidden.com', 'anna')
      await appeal(id, credentials, { statement: 'No.' })
      await placard('restore', slug, '--reason', 'x', '--as', 'anna')
      await placard('hide', slug, '--reason', 'Something else.', '--as', 'anna')
      await placard('decide-appeal', id, 'reverse', '--as', 'bob', '--reason', 'That was wrong.')
      expect((await fetch(receipt.productUrl)).status).toBe(410)
      expect(await leftToDo(id, credentials)).toBe('Another decision has taken the listing down.')

      const own = await listed('own.com')
      const owner = await openPrivatePage(own.receipt.ownership.privateRecoveryUrl ?? '')
      await owner.act('withdraw', { confirm: 'yes' })
      const withdrawn = idIn(await fetch(own.receipt.productUrl))
      expect((await read(withdrawn, own.credentials)).body).toMatchObject({
        decidedBy: 'owner',
        reason: 'withdrawn',
        contest: { isPossible: false },
      })
      expect((await owner.act('appeal', { statement: 'Back!' })).status).toBe(409)
    })

    it('is decided about once, by whichever of two operators is first', async () => {
      const { credentials, receipt, id } = await hidden('two-deciders.com', 'anna')
      await appeal(id, credentials, { statement: 'No.' })
      const other = await service.database.openStore()
      const decided = await Promise.all([
        decideAppeal(store, id, 'reversed', { name: 'bob', explanation: 'x' }, service.clock.now),
        decideAppeal(other, id, 'upheld', { name: 'carl', explanation: 'y' }, service.clock.now),
      ])
      expect(decided.map(each => each?.changed).sort()).toEqual([false, true])
      expect(decided[0]?.result).toBe(decided[1]?.result)
      const status = decided[0]?.result === 'reversed' ? 200 : 410
      expect((await fetch(receipt.productUrl)).status).toBe(status)
    })
  })

  describe('a report', () => {
    it('has a link to what came of it, by which the reporter may contest that', async () => {
      const { receipt, slug, credentials } = await listed('reported.com')
      const { pathname } = new URL(receipt.productUrl)
      const visitor = newVisitor(service)
      const from = { 'x-forwarded-for': '10.9.9.9' }
      const fields = { reason: 'misleading', details: 'A secret detail.', contact: 'me@mail.com' }
      const number = async () => {
        const report = await store.db.selectFrom('report').select('id').orderBy('id', 'desc').executeTakeFirst()
        return String(report?.id)
      }
      await visitor.post(`${pathname}/report`, { ...fields, details: 'Another detail.' }, from)
      await placard('settle', await number(), '--reason', 'Fine.', '--as', 'anna')
      const sent = await visitor.post(`${pathname}/report`, fields, from)
      const reportId = idIn(sent)
      const thanks = await visitor.get(sent.location ?? '')
      expect(thanks.headers.get('referrer-policy')).toBe('no-referrer')
      const link = /\/reports\/[\w-]{22}/.exec(thanks.html)?.[0] ?? ''
      const open = await visitor.get(link)
      expect([open.status, open.headers.get('cache-control')]).toEqual([200, 'no-store'])
      expect(open.html).toContain('Your report is not reviewed yet.')
      const early = await visitor.post(`${link}/appeal`, { statement: 'Hurry.' }, from)
      expect([early.status, early.html]).toEqual([409, expect.stringContaining('Hurry.</textarea>')])
      expect(await htmlFaults(early.html)).toEqual([])
      const often = { 'x-forwarded-for': '10.7.7.7' }
      for (let nth = 0; nth < APPEALS_PER_HOUR; nth++) {
        await visitor.post(`${link}/appeal`, { statement: 'Hurry.' }, often)
      }
      const limited = await visitor.post(`${link}/appeal`, { statement: 'Hurry.' }, often)
      expect(limited.status).toBe(429)
      expect(limited.html).toMatch(/You have tried too often\. Try again in \d+ minutes\./)
      // The owner learns nothing of it, and strangers do not learn that it exists.
      expect((await read(reportId, credentials)).status).toBe(404)
      expect((await visitor.get(`/reports/${'A'.repeat(22)}`)).status).toBe(404)

      await placard('settle', await number(), '--reason', 'It is fine.', '--as', 'anna')
      const settled = (await visitor.get(link)).html
      expect(settled).toContain('It is fine.')
      expect(settled).toContain('The listing stays up.')
      expect(await htmlFaults(settled)).toEqual([])
      const none = await visitor.post(`${link}/appeal`, { statement: ' \n' }, from)
      expect([none.status, none.html.includes('The statement must have')]).toEqual([400, true])
      const contested = await visitor.post(`${link}/appeal`, { statement: 'It is not fine.' }, from)
      expect([contested.status, contested.location]).toEqual([303, link])

      const listing = (await placard('appeals')).output
      expect(listing).toContain('reporter: It is not fine.')
      const id =
        listing
          .split('\n')
          .find(line => line.includes(slug))
          ?.split(' ')[0] ?? ''
      await placard('decide-appeal', id, 'reverse', '--as', 'bob', '--reason', 'Look again.')
      expect((await visitor.get(link)).html).toContain('the report is open again')
      const { output: reports } = await placard('reports')
      expect([reports.includes('A secret detail.'), reports.includes('Another detail.')]).toEqual([true, false])
      await placard('hide', slug, '--reason', 'It misleads.', '--as', 'bob')
      await placard('settle', await number(), '--reason', 'Taken down.', '--as', 'bob')
      expect((await visitor.get(link)).html).toContain('The listing is taken down.')

      // What was written stays with the report.
      const decisions = await store.db.selectFrom('decision').selectAll().execute()
      expect(JSON.stringify(decisions)).not.toMatch(/A secret detail|me@mail\.com|10\.9\.9\.9/)
      await expect
        .poll(async () => (await placard('audit', 'verify')).output)
        .toMatch(/^\d+ entries, log whole, root [A-Za-z0-9+/]{43}=\n$/)
    })
  })

  it('limits how often one client asks', async () => {
    const { credentials, id } = await refused('limited.com')
    const ask = () =>
      fetch(`${service.url}${DECISIONS_PATH}/${id}`, {
        headers: { 'x-submission-secret': credentials.secret, 'x-forwarded-for': '10.8.8.8' },
      })
    const statuses: number[] = []
    for (let each = 0; each <= 60; each++) statuses.push((await ask()).status)
    expect([statuses.slice(0, 60).every(status => status === 200), statuses[60]]).toEqual([true, 429])
  })
})
