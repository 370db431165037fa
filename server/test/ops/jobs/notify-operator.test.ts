// @module-tag slow
import { DECISION_HEADER, DECISIONS_PATH } from '@placard/contract'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { raiseFindings } from '../../../src/domain/moderation/findings.ts'
import { hideListing } from '../../../src/domain/moderation/moderate.ts'
import { addReport } from '../../../src/domain/moderation/reports.ts'
import { settleReport } from '../../../src/domain/moderation/settle-reports.ts'
import { warn } from '../../../src/domain/notifications/operator/warnings.ts'
import { applyEvent } from '../../../src/domain/payments/apply-event.ts'
import { mailOperator, postToOperator } from '../../../src/ops/jobs/notify-operator.ts'
import { configFrom } from '../../../src/platform/config/config.ts'
import type { Store } from '../../../src/platform/db/store.ts'
import { Links } from '../../../src/platform/http/links.ts'
import { daysMs } from '../../../src/platform/lib/time.ts'
import { SECRET, startMailServer, startWebhook } from '../../domain/notifications/operator/stand-ins.ts'
import { allLogged, checkpointNow, LOG_SIGNER, logNow } from '../../support/all-logged.ts'
import { SQLITE_FIRST } from '../../support/engines.ts'
import { FIXED_KEYS } from '../../support/keys.ts'
import { eventOf, openTestCheckout, payFor } from '../../support/ledger.ts'
import { listingRow } from '../../support/listing-row.ts'
import { operateHere } from '../../support/operate.ts'
import {
  newCredentials,
  publish,
  publishBody,
  report,
  startTestService,
  type TestService,
} from '../../support/service.ts'
import { sendHtml } from '../../support/sites.ts'

const MINUTE_MS = 60_000
const BASE = 'https://placard.example.org'

describe.each(SQLITE_FIRST)('telling the operator on %s', engine => {
  let service: TestService
  let store: Store
  let webhook: Awaited<ReturnType<typeof startWebhook>>
  let mail: Awaited<ReturnType<typeof startMailServer>>
  let logged: string[]

  beforeEach(async () => {
    service = await startTestService({ engine })
    store = await service.database.openStore()
    webhook = await startWebhook()
    mail = await startMailServer()
    logged = []
  })
  afterEach(async () => {
    await webhook.close()
    await mail.close()
    await service.stop()
  })

  const byWebhook = () => ({ OPERATOR_WEBHOOK_URL: webhook.url, OPERATOR_WEBHOOK_SECRET: SECRET })
  const byMail = (to = 'ops@example.org') => ({
    SMTP_URL: `smtp://placard:p%40ss%2Fword@${mail.host}`,
    OPERATOR_MAIL_TO: to,
  })

  /** The jobs of a process that has begun to notify the operator. `look` runs each of them once. */
  async function begun(env = byWebhook() as Parameters<typeof configFrom>[0], at = store) {
    const log = (facts: object, words: string) => void logged.push(`${words} ${JSON.stringify(facts)}`)
    const links = new Links({ baseUrl: BASE, supportUrl: undefined })
    const deps = { links, clock: () => service.clock.now, log: { info: log, warn: log } as never }
    const config = configFrom(env)
    const steps = [mailOperator, postToOperator]
      .filter(({ isOn }) => isOn?.(config))
      .map(({ start }) => start({ ...deps, config }))
    const stop = new AbortController()
    const look = () => Promise.all(steps.map(step => step({ store: at, signal: stop.signal, isFirst: false })))
    await look()
    return { look, stop }
  }

  async function listed(slug: string, title: string) {
    const { id } = await store.transact(trx =>
      trx.insertInto('listing').values(listingRow({ slug, title })).returning('id').executeTakeFirstOrThrow(),
    )
    return id
  }

  let networks = 0
  /** By somebody else each time: one network has few reports open. */
  async function reported(listingId: number, details = 'It is not so.') {
    const about = { reason: 'malicious', details, contact: 'jane@example.org' } as const
    await addReport({ store, serviceKeys: FIXED_KEYS }, listingId, about, `network-${++networks}`, service.clock.now)
    await logNow(store)
  }

  const pass = (ms: number) => {
    service.clock.now += ms
  }

  it('tells of the first report at once, and of what follows together', async () => {
    const id = await listed('shop', 'A Shop')
    await reported(id)
    const telling = await begun()
    // What came before is left to the digest.
    await telling.look()
    expect(webhook.events()).toEqual([])

    await reported(id)
    await telling.look()
    const at = service.clock.now
    const productUrl = `${BASE}/product/shop`
    expect(webhook.events()).toMatchObject([
      {
        type: 'operator.news',
        data: {
          subject: 'Placard: 1 report',
          text: `New at ${BASE}:\n\n1 report, see npm run placard -- reports\n- 2026-11-21 12:00  Dangerous  “A Shop”\n  ${productUrl}`,
          waiting: [
            {
              kind: 'report',
              count: 1,
              oldestAt: at,
              first: [{ at, what: 'malicious', title: 'A Shop', productUrl }],
            },
          ],
        },
      },
    ])
    // Neither the reporter's words nor their address leave the machine.
    expect(webhook.heard[0]?.body).not.toMatch(/not so|jane/)

    for (let count = 0; count < 12; count++) await reported(id)
    await settleReport(store, 3, 'Looked at.', service.clock.now)
    await logNow(store)
    pass(4 * MINUTE_MS)
    await telling.look()
    expect(webhook.heard).toHaveLength(1)
    pass(MINUTE_MS)
    await telling.look()
    await telling.look()
    expect(webhook.events().map(({ data }) => data.subject)).toEqual(['Placard: 1 report', 'Placard: 11 reports'])
    expect(webhook.events()[1]?.data.text).toContain('- and 1 more')
    pass(10 * MINUTE_MS)
    await telling.look()
    expect(webhook.heard).toHaveLength(2)
  })

  it('tells of appeals, findings, unmatched payments and warnings', async () => {
    const telling = await begun()
    pass(1)
    service.sites.set('gone.com', (_request, response) => response.writeHead(404).end())
    const credentials = newCredentials()
    const { headers } = await publish(service, credentials, publishBody('http://gone.com/'))
    const appealed = await fetch(`${service.url}${DECISIONS_PATH}/${headers.get(DECISION_HEADER)}/appeal`, {
      method: 'POST',
      headers: { 'x-submission-secret': credentials.secret, 'content-type': 'application/json' },
      body: JSON.stringify({ statement: 'It was away for an hour.' }),
    })
    expect(appealed.status).toBe(200)
    const checkout = await openTestCheckout(store, 'paid.com')
    await applyEvent(store, eventOf('paid', 'pi_odd', { checkout, currency: 'eur' }), service.clock.now)
    await applyEvent(store, eventOf('paid', 'pi_lost', { sessionId: 'cs_of_nobody' }), service.clock.now)
    service.sites.set('riches.com', (_request, response) =>
      sendHtml(response, '<title>Casino Riches – online casino bonus</title><p>Free spins for all.'),
    )
    await publish(service, newCredentials(), publishBody('http://riches.com/'))
    const about = await listed('moved', 'Moved')
    const found = [{ kind: 'moved', evidence: {} }] as const
    const when = { since: service.clock.now, now: service.clock.now }
    await store.transact(trx => raiseFindings(trx, about, found, when))
    const signature = `t=${Math.floor(service.clock.now / 1000)},v1=${'0'.repeat(64)}`
    const forged = { method: 'POST', headers: { 'stripe-signature': signature }, body: '{}' }
    expect((await fetch(`${service.url}/webhooks/stripe`, forged)).status).toBe(400)
    await expect.poll(() => store.db.selectFrom('warning').select('kind').execute()).toHaveLength(1)
    await logNow(store)

    // Half a minute later the payment may still find its order.
    pass(MINUTE_MS / 2)
    await telling.look()
    expect(webhook.events()[0]?.data.waiting).toMatchObject([
      { kind: 'appeal', count: 1, first: [{ what: 'refuse', title: 'gone.com', productUrl: null }] },
    ])
    expect(webhook.events()[0]?.data.text).toContain('  Appeal against: Refused  “gone[.]com”')
    expect(webhook.heard[0]?.body).not.toContain('away for an hour')
    pass(5 * MINUTE_MS)
    await telling.look()
    expect(webhook.events()[1]?.data).toMatchObject({
      subject: 'Placard: 2 findings, 2 unmatched payments, 1 warning',
      text: expect.stringMatching(/, see \S.* payments --unplaced\n[\s\S]*compare STRIPE_WEBHOOK_SECRET/),
      waiting: [
        {
          kind: 'finding',
          count: 2,
          first: [
            { what: 'flagged_by:phrases', title: 'Casino Riches – online casino bonus' },
            { what: 'moved', title: 'Moved' },
          ],
        },
        {
          kind: 'payment',
          count: 2,
          first: expect.arrayContaining([expect.objectContaining({ what: 'wrong_currency', title: 'pi_odd' })]),
        },
        { kind: 'warning', first: [{ what: 'event_refused' }] },
      ],
    })
    // A person reads the words of the console, and a program the codes.
    const words = webhook
      .events()[1]
      ?.data.text.split('\n')
      .map((line: string) => line.split('  ')[1])
    expect(words?.filter(Boolean)).toEqual(
      expect.arrayContaining([
        'The reviewer phrases flagged the page when it was listed',
        'The page leads to another domain, which seems to have the same owner',
        'It was not paid in US dollars',
        'It matches no order',
      ]),
    )

    // Whoever repeats it has it told once a day.
    await warn(store, 'event_refused', service.clock.now)
    pass(5 * MINUTE_MS)
    await telling.look()
    expect(webhook.heard).toHaveLength(2)
  })

  it('tells of what comes after the clock was set back', async () => {
    const [telling, days] = [await begun(), daysMs(30)]
    pass(days)
    await warn(store, 'event_refused', service.clock.now)
    pass(MINUTE_MS)
    // The digest of that day, and then the warning.
    for (let looks = 0; looks < 3; looks++, pass(5 * MINUTE_MS)) await telling.look()
    expect(webhook.events().map(({ type }) => type)).toEqual(['operator.digest', 'operator.news'])

    pass(-days)
    await telling.look()
    for (const kind of ['event_refused', 'boards_differ'] as const) await warn(store, kind, service.clock.now)
    pass(5 * MINUTE_MS)
    await telling.look()
    pass(daysMs(1))
    await telling.look()
    expect(webhook.events().slice(2)).toMatchObject([
      { type: 'operator.digest' },
      { type: 'operator.news', data: { waiting: [{ kind: 'warning', count: 2 }] } },
      { type: 'operator.digest' },
    ])
  })

  it('tells of what comes after the database went back to an earlier state', async () => {
    const id = await listed('shop', 'A Shop')
    // Decisions of which there is nothing to tell.
    async function hidden(...slugs: string[]) {
      for (const slug of slugs) {
        await listed(slug, slug)
        await hideListing(store, slug, 'test', service.clock.now)
      }
      await logNow(store)
    }
    await hidden('before')
    const { size } = await store.db.selectFrom('log_head').select('size').executeTakeFirstOrThrow()
    const telling = await begun()
    await hidden('one', 'two', 'three')
    await telling.look()
    await store.transact(async trx => {
      await trx.deleteFrom('log_entry').where('position', '>=', size).execute()
      await trx.deleteFrom('decision').where('position', '>=', size).execute()
      await trx.updateTable('log_head').set({ size }).execute()
    })

    await reported(id)
    await telling.look()
    const kinds = webhook.events().flatMap(({ data }) => data.waiting.map(({ kind }: { kind: string }) => kind))
    expect(kinds).toContain('report')
  })

  it('gives a digest each morning, with the checkpoint of the log', async () => {
    const telling = await begun({ ...byWebhook(), ...byMail() })
    expect((await publish(service, newCredentials(), publishBody('http://shop.com/'))).status).toBe(201)
    const { id } = await store.db.selectFrom('listing').select('id').executeTakeFirstOrThrow()
    await reported(id)
    await payFor(store, 'paid.com', 'pi_1', { amountCents: 2500 })
    await payFor(store, 'hidden.com', 'pi_2', { amountCents: 7000 })
    await hideListing(store, 'hidden-com', 'Not so.', service.clock.now, { actor: 'operator:ann' })
    await allLogged(store)
    const note = await checkpointNow(store)
    await store.db
      .insertInto('log_checkpoint')
      .values({ id: 1, origin: LOG_SIGNER.name, size: 1, root: '', note, at: 0 })
      .onConflict(conflict => conflict.doNothing())
      .execute()
    await telling.look()
    expect(webhook.heard).toHaveLength(1)

    service.clock.now = Date.UTC(2026, 10, 22, 6, 59)
    await telling.look()
    expect(webhook.heard).toHaveLength(1)
    pass(MINUTE_MS)
    await telling.look()
    const [, digest] = webhook.events()
    expect(digest).toMatchObject({
      type: 'operator.digest',
      data: {
        subject: 'Placard: 2026-11-21',
        day: '2026-11-21',
        listed: 3,
        refused: 0,
        hidden: 1,
        withdrawn: 0,
        restored: 0,
        reports: 1,
        appeals: 0,
        places: 1,
        paidCents: 2500,
        checkpoint: { size: expect.any(Number), note: expect.stringContaining('\n\n— ') },
        waiting: [{ kind: 'report', count: 1 }],
      },
    })
    expect(digest?.data.text).toContain('- 1 report, the oldest for 19 hours, since 2026-11-21 12:00')
    expect(mail.mails[1]?.text.trim()).toBe(digest?.data.text)
    // Lines fit into a terminal, and a signature stays whole.
    expect(mail.mails[1]?.lines.filter(line => line.length > 73)).toEqual([expect.stringMatching(/^— \S+ \S+$/)])

    pass(daysMs(1) - 1)
    await telling.look()
    expect(webhook.heard).toHaveLength(2)
    pass(1)
    await telling.look()
    await telling.look()
    expect(webhook.events().map(({ type }) => type)).toEqual(['operator.news', 'operator.digest', 'operator.digest'])
  })

  it('mails plain text, in which a title fakes neither header nor line nor link', async () => {
    const telling = await begun(byMail())
    const title =
      'Fine”\r\nBcc: thief@evil.example\r\n\r\n- 2026-11-21 12:00  settled  “All well”\u2028See https://evil.example/console www.evil.example'
    await reported(await listed('hostile', title))
    await telling.look()
    expect(mail.mails).toHaveLength(1)
    const [got] = mail.mails
    expect(got).toMatchObject({
      from: 'ops@example.org',
      to: ['ops@example.org'],
      user: 'placard',
    })
    expect([...(got?.headers.keys() ?? [])].sort()).toEqual([
      'auto-submitted',
      'content-transfer-encoding',
      'content-type',
      'date',
      'from',
      'message-id',
      'mime-version',
      'subject',
      'to',
    ])
    expect(got?.headers.get('subject')).toBe('Placard: 1 report')
    expect(got?.headers.get('content-type')).toBe('text/plain; charset=utf-8; format=flowed')
    expect(got?.text.trim().split('\n')).toEqual([
      `New at ${BASE}:`,
      '',
      '1 report, see npm run placard -- reports',
      '- 2026-11-21 12:00  Dangerous  “Fine Bcc: thief[at]evil[.]example - 2026-11-21 12[:]00 settled All well See…”',
      `  ${BASE}/product/hostile`,
    ])
  })

  it('tells once, however many instances look', async () => {
    const stores = [store, await service.database.openStore(), await service.database.openStore()]
    const all = await Promise.all(stores.map(each => begun({ ...byWebhook(), ...byMail() }, each)))
    const id = await listed('shop', 'A Shop')
    for (let round = 1; round <= 5; round++) {
      await reported(id)
      await Promise.all(all.map(telling => telling.look()))
      expect([webhook.heard.length, mail.mails.length]).toEqual([round, round])
      pass(5 * MINUTE_MS)
    }
  })

  it('sends the same message again after a stop in the middle', async () => {
    const stopped = await begun()
    await reported(await listed('shop', 'A Shop'))
    webhook.answer = () => {}
    const under = stopped.look()
    await expect.poll(() => webhook.heard.length).toBe(1)
    stopped.stop.abort()
    await under
    webhook.answer = response => void response.writeHead(204).end()

    const next = await begun()
    expect(webhook.heard).toHaveLength(1)
    pass(2 * MINUTE_MS)
    await next.look()
    expect(webhook.ids()).toEqual([webhook.ids()[0], webhook.ids()[0]])
    expect(webhook.heard[1]?.body).toBe(webhook.heard[0]?.body)
    pass(5 * MINUTE_MS)
    await next.look()
    expect(webhook.heard).toHaveLength(2)
    expect(logged).toEqual([])
  })

  it('tries again ever more slowly, says so once, and holds up no other channel', async () => {
    const telling = await begun({ ...byWebhook(), ...byMail() })
    // A redirect is a failure, and nobody follows it.
    webhook.answer = response => void response.writeHead(307, { location: '/elsewhere' }).end()
    const id = await listed('shop', 'A Shop')
    await reported(id)
    await telling.look()
    expect([webhook.heard.length, mail.mails.length]).toEqual([1, 1])
    expect(webhook.heard[0]?.path).toBe('/told')
    for (const [minutes, attempts] of [
      [0.4, 1],
      [0.1, 2],
      [1, 3],
      [4, 3],
      [1, 4],
    ] as const) {
      pass(minutes * MINUTE_MS)
      await telling.look()
      expect(webhook.heard).toHaveLength(attempts)
    }
    expect(new Set(webhook.ids()).size).toBe(1)
    expect(logged).toHaveLength(1)
    expect(logged[0]).toContain('OPERATOR_WEBHOOK_URL answered 307')

    mail.isFull = true
    await reported(id)
    pass(15 * MINUTE_MS)
    webhook.answer = response => void response.writeHead(204).end()
    await telling.look()
    expect(logged.slice(1).sort()).toMatchObject([
      expect.stringMatching(/^could not notify an operator.*Mailbox full/),
      expect.stringMatching(/^operators can be notified again/),
    ])
    mail.isFull = false
    pass(5 * MINUTE_MS)
    await telling.look()
    expect([webhook.heard.length, mail.mails.length]).toEqual([6, 2])
  })

  it('mails each recipient on their own, so that nobody waits for one whom the server refuses', async () => {
    const telling = await begun(byMail('ops@example.org, second@example.org'))
    const id = await listed('shop', 'A Shop')
    const [ops, second] = ['ops@example.org', 'second@example.org']
    const recipients = () => mail.mails.map(({ to }) => to)
    const later = async (ms: number) => {
      pass(ms)
      await telling.look()
    }
    // Greylisting: the first attempts fail.
    mail.refuses.set(second, 451)
    await reported(id)
    await telling.look()
    await later(MINUTE_MS / 2)
    expect(recipients()).toEqual([[ops]])
    mail.refuses.clear()
    await later(MINUTE_MS)
    expect(recipients()).toEqual([[ops], [second]])
    expect(mail.mails[1]?.text).toBe(mail.mails[0]?.text)
    expect(logged.map(line => line.split(' {')[0])).toEqual([
      'could not notify an operator; will retry',
      'operators can be notified again',
    ])
    expect(logged[0]).toContain('recipient 2 of OPERATOR_MAIL_TO: ')

    // A full mailbox delays only its own messages.
    logged.length = mail.mails.length = 0
    mail.refuses.set(second, 552)
    for (let nth = 0; nth < 2; nth++) {
      await reported(id)
      await later(5 * MINUTE_MS)
    }
    expect(recipients()).toEqual([[ops], [ops]])
    expect(logged).toEqual([expect.stringContaining('552 Not now')])
    const { output } = await operateHere({ ...service.database.env, ...byMail(`${ops},${second}`) }, 'doctor')
    expect(output).toMatch(/^warning +jobs +no mail reaches recipient 2 of OPERATOR_MAIL_TO, after \d attempts: check/m)
    expect(output).not.toContain('recipient 1 ')
    mail.refuses.clear()
    await later(15 * MINUTE_MS)
    await later(5 * MINUTE_MS)
    expect(recipients()).toEqual([[ops], [ops], [second], [second]])
    await later(5 * MINUTE_MS)
    expect(recipients()).toHaveLength(4)
  })

  it('knows each recipient of mail by the address, in any order, and continues the message of an earlier version', async () => {
    const [ops, second] = ['ops@example.org', 'second@example.org']
    const recipients = () => mail.mails.map(({ to }) => to)
    mail.refuses.set(ops, 552)
    const one = await begun(byMail(ops))
    // All recipients had one channel.
    await store.db.updateTable('told').set({ channel: 'mail' }).execute()
    await reported(await listed('shop', 'A Shop'))
    await one.look()
    await store.db.updateTable('told').set({ channel: 'mail' }).execute()
    pass(MINUTE_MS)
    mail.refuses.clear()
    await begun(byMail(`${ops}, ${second}`))
    expect(recipients()).toEqual([[ops]])

    mail.refuses.set(ops, 552)
    pass(5 * MINUTE_MS)
    await reported(await listed('stall', 'A Stall'))
    const both = await begun(byMail(`${ops}, ${second}`))
    await both.look()
    expect(recipients()).toEqual([[ops], [second]])
    // The first is removed: the other is not sent its message.
    pass(5 * MINUTE_MS)
    const alone = await begun(byMail(second))
    await alone.look()
    expect(recipients()).toHaveLength(2)
    // And it is sent once its mailbox works again.
    mail.refuses.clear()
    pass(5 * MINUTE_MS)
    await begun(byMail(`${second}, ${ops}`))
    expect(recipients()).toEqual([[ops], [second], [ops]])
  })

  it('gives a message up after a day, and goes on with the digest', async () => {
    const telling = await begun()
    webhook.answer = response => void response.writeHead(500).end()
    await reported(await listed('shop', 'A Shop'))
    await telling.look()
    pass(daysMs(1))
    webhook.answer = response => void response.writeHead(204).end()
    await telling.look()
    await telling.look()
    expect(webhook.events().map(({ type }) => type)).toEqual(['operator.news', 'operator.digest'])
    expect(webhook.events()[1]?.data.waiting).toMatchObject([{ kind: 'report', count: 1 }])
    expect(logged.map(line => line.split(' {')[0])).toEqual([
      'could not notify an operator; will retry',
      'dropped a message to the operator after a day',
      'operators can be notified again',
    ])
  })

  it('never logs a password', async () => {
    const telling = await begun({ ...byMail(), SMTP_URL: `smtp://placard:wrong-shibboleth@${mail.host}` })
    await reported(await listed('shop', 'A Shop'))
    await telling.look()
    expect(logged).toHaveLength(1)
    expect(logged[0]).toContain('refused the user or password of SMTP_URL')
    expect(logged[0]).not.toContain('shibboleth')
  })

  it('sends no password in clear text to another machine', async () => {
    // No loopback address, though it leads there.
    const elsewhere = mail.host.replace('127.0.0.1', '0.0.0.0')
    const telling = await begun({ ...byMail(), SMTP_URL: `smtp://placard:p%40ss%2Fword@${elsewhere}` })
    await reported(await listed('shop', 'A Shop'))
    await telling.look()
    expect(mail.mails).toEqual([])
    expect(logged[0]).toContain('STARTTLS')
  })
})

it('the service notifies automatically', async () => {
  const webhook = await startWebhook()
  const service = await startTestService({
    env: { OPERATOR_WEBHOOK_URL: webhook.url, OPERATOR_WEBHOOK_SECRET: SECRET },
  })
  try {
    const store = await service.database.openStore()
    await expect.poll(() => store.db.selectFrom('told').selectAll().execute()).toHaveLength(1)
    expect((await publish(service, newCredentials(), publishBody('http://shop.com/'))).status).toBe(201)
    expect(await report(service, 'shop.com')).toBeLessThan(400)
    await expect.poll(() => webhook.events().map(({ type }) => type)).toEqual(['operator.news'])
  } finally {
    await service.stop()
    await webhook.close()
  }
})
