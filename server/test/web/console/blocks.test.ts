import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { migratedDatabase, SQLITE_FIRST } from '../../support/engines.ts'
import { listingRow } from '../../support/listing-row.ts'
import { operateHere } from '../../support/operate.ts'
import { htmlFaults } from '../../support/page-faults.ts'
import { check, PUBLIC } from '../../support/service.ts'
import { fieldsOf, type Operating, startOperating } from './operating.ts'
import { undoId } from './operators.ts'

describe.each(SQLITE_FIRST)('blocked hosts on %s', engine => {
  let board: Operating

  beforeAll(async () => {
    board = await startOperating(engine)
  })
  afterAll(() => board.service.stop())

  describe('block a host', () => {
    it('with the command, for publish and check in every process at once, and end that', async () => {
      const { output } = await board.placard('block', 'WWW.Spam-One.com', '--reason', 'Spam', '--as', 'Ada')
      expect(output).toBe('spam-one.com is blocked.\n')
      for (const host of ['spam-one.com', 'www.spam-one.com']) {
        const refused = await board.send(host)
        expect([refused.status, refused.body.reason]).toEqual([422, 'blocklisted'])
        const checked = await check(board.service, { destination: `http://${host}/`, category: 'Games' })
        expect(checked.body).toMatchObject({ publishReply: { reason: 'blocklisted' } })
      }
      expect((await board.send('shop.spam-one.com')).status).toBe(201)
      expect((await board.placard('block', 'spam-one.com', '--reason', 'Again', '--as', 'Bo')).output).toMatch(
        /^spam-one\.com was already blocked by Ada, .*: Spam\n/,
      )
      expect((await board.placard('blocks')).output).toContain('spam-one.com  by Ada: Spam')
      await board.placard('unblock', 'spam-one.com', '--reason', 'Mended', '--as', 'Bo')
      expect((await board.send('spam-one.com')).status).toBe(201)
      expect((await board.placard('unblock', 'spam-one.com', '--reason', 'x')).code).toBe(1)
      expect((await board.placard('blocks')).output).not.toContain('spam-one.com')
      expect((await board.placard('blocks', '--all')).output).toMatch(/spam-one\.com .*\(ended /)
      const mine = (await board.decisions('block', 'unblock')).filter(({ facts }) => facts.host === 'spam-one.com')
      expect(mine.map(({ kind, actor, ground }) => [kind, actor, ground])).toEqual([
        ['block', 'operator:Ada', 'rules/content@1'],
        ['unblock', 'operator:Bo', 'rules/content@1'],
      ])
      // The block in force is named, not the one that has ended.
      await board.placard('block', 'spam-one.com', '--reason', 'Back', '--as', 'Bo')
      expect((await board.placard('block', 'spam-one.com', '--reason', 'Again')).output).toMatch(
        /^spam-one\.com was already blocked by Bo, .*: Back\n/,
      )
    })

    it('with everything below it, in either spelling, and where a redirect leads', async () => {
      await board.placard('block', 'bücher-spam.de', '--subdomains', '--reason', 'Spam', '--ground', 'law/notice')
      expect((await board.placard('blocks')).output).toContain('  xn--bcher-spam-9db.de with its subdomains  ')
      expect((await board.send('a.b.xn--bcher-spam-9db.de')).body.reason).toBe('blocklisted')
      expect((await board.send('not-bcher-spam.de')).status).toBe(201)
      board.service.sites.set('old.bücher-host.de'.replace('ü', 'u'), (_, response) =>
        response.writeHead(301, { location: 'http://new.bucher-host.de/' }).end(),
      )
      await board.placard('block', 'new.bucher-host.de', '--reason', 'Spam')
      expect((await board.send('old.bucher-host.de')).body.reason).toBe('blocklisted')
      expect((await board.placard('unblock', 'XN--BCHER-SPAM-9DB.de', '--reason', 'x')).code).toBe(0)
    })

    it('and unblock it however many were blocked since', async () => {
      const { page } = await board.listed('long-blocked.com')
      await board.placard('block', 'long-blocked.com', '--reason', 'Spam')
      const { decisionId } = await board.store.db
        .selectFrom('blocked_host')
        .select('decisionId')
        .executeTakeFirstOrThrow()
      const common = {
        subdomains: 0,
        reason: 'Spam',
        blockedBy: 'Bo',
        blockedAt: Date.now(),
        endedAt: null,
        decisionId,
      }
      const since = Array.from({ length: 100 }, (_, nth) => ({ ...common, host: `since-${nth}.com` }))
      await board.store.transact(trx => trx.insertInto('blocked_host').values(since).execute())
      const ada = await board.enter('Ada')
      const [, path = ''] =
        /href="([^"]+)"><bdi dir="ltr">long-blocked.com<\/bdi> is blocked/.exec((await ada.get(page)).html) ?? []
      const shown = await ada.get(path)
      expect(await htmlFaults(shown.html)).toEqual([])
      await ada.post('/console/unblock', fieldsOf(shown, '/console/unblock'))
      expect((await ada.get('/console/blocks')).html).toContain('long-blocked.com is no longer blocked.')
      await board.store.transact(trx => trx.deleteFrom('blocked_host').where('host', 'like', 'since-%').execute())
    })

    it('and are shown which of its listings are public', async () => {
      const { slug } = await board.listed('hidden-host.com')
      const ada = await board.enter('Ada')
      expect((await ada.get('/console/blocks?host=hidden-host.com')).html).toContain('1 public listing:')
      await board.placard('hide', slug, '--reason', 'x')
      expect((await ada.get('/console/blocks?host=hidden-host.com')).html).toContain('It has no public listings.')
    })

    it('but only hosts of other owners', async () => {
      const ada = await board.enter('Ada')
      const bad = [
        ['192.0.2.1', 'is an IP address'],
        ['[2001:db8::1]', 'is an IP address'],
        ['0x7f.1', 'is an IP address'],
        ['co.uk', 'is a public suffix'],
        ['github.io', 'is a public suffix'],
        ['https://evil.com/page', 'is more than a host: give evil.com alone'],
        ['evil.com:8080', 'is more than a host: give evil.com alone'],
        ['*.evil.com', 'names only subdomains: give evil.com'],
        ['xn--0.com', /cannot be read as a host name|cannot be decoded/],
        ['evil', 'is not a full domain name'],
        ['intranet.local', 'it is reserved'],
        ['<b>evil</b>.com', 'is more than a host'],
      ] as const
      for (const [host, why] of bad) {
        const page = await ada.get(`/console/blocks?${new URLSearchParams({ host })}`)
        expect(page.status).toBe(400)
        expect(page.html).toMatch(why)
        expect(page.html).toContain('<span class="fault" id="host-fault">')
        await ada.post('/console/block', { host, explanation: 'x' })
      }
      const shell = await board.placard('block', 'co.uk', '--reason', 'x')
      expect(shell).toMatchObject({ code: 2, output: expect.stringContaining('"co.uk" is a public suffix') })
      const own = await operateHere(
        { ...board.service.database.env, ...PUBLIC },
        'block',
        'WWW.placard.example.org',
        '--reason',
        'x',
      )
      expect(own).toMatchObject({ code: 2, output: expect.stringContaining('is this site itself') })
      const blocked = await board.store.db.selectFrom('blocked_host').select('host').execute()
      expect(blocked.filter(({ host }) => bad.some(([each]) => each.endsWith(host)))).toEqual([])
    })

    it('from a listing’s page, and hide what is listed of it where they say so; all of it undone in one', async () => {
      const [one, two, other] = [
        await board.listed('evil.net'),
        await board.listed('www.evil.net/two'),
        await board.listed('sub.evil.net'),
      ]
      const ada = await board.enter('Ada')
      const link = /href="(\/console\/blocks\?[^"]+)"/.exec((await ada.get(one.page)).html)?.[1] ?? ''
      expect(link).toBe('/console/blocks?host=evil.net')
      const page = await ada.get(link)
      expect(await htmlFaults(page.html)).toEqual([])
      expect([one, two, other].map(({ slug }) => page.html.includes(`/listing/${slug}"`))).toEqual([true, true, false])
      expect((await ada.get(`${link}&below=yes`)).html).toContain(`/listing/${other.slug}"`)

      // Without the box, nothing is hidden.
      const form = { ...fieldsOf(page, '/console/block'), explanation: 'It <i>spams</i>' }
      await ada.post('/console/block', form)
      expect((await fetch(one.publicUrl)).status).toBe(200)
      expect((await ada.get(link)).html).toContain('It &lt;i>spams&lt;/i>')
      await ada.post('/console/undo', { id: undoId(await ada.get('/console')) ?? '' })
      expect((await board.send('evil.net/three')).status).toBe(201)

      await ada.post('/console/block', { ...form, hide: 'yes' })
      const done = await ada.get('/console/blocks')
      expect(done.html).toContain('evil.net is blocked.')
      expect(done.html).toContain('2 listings')
      expect((await one.receipt()).status).toBe('unavailable')
      expect((await other.receipt()).status).toBe('published')
      await ada.post('/console/undo', { id: undoId(done) ?? '' })
      expect((await one.receipt()).status).toBe('published')
      expect((await board.send('evil.net/four')).status).toBe(201)
    })

    it('once of two at the same time, and end it once', async () => {
      const [ada, bo] = [await board.enter('Ada'), await board.enter('Bo')]
      const form = { host: 'twice.net', explanation: 'Spam' }
      await Promise.all([ada.post('/console/block', form), bo.post('/console/block', form)])
      const told = [await ada.get('/console/blocks'), await bo.get('/console/blocks')].map(({ html }) => html)
      expect(told.filter(html => html.includes('twice.net is blocked.'))).toHaveLength(1)
      expect(told.filter(html => /twice\.net was already blocked, by (Ada|Bo)/.test(html))).toHaveLength(1)
      const ended = fieldsOf(await ada.get('/console/blocks'), '/console/unblock')
      await Promise.all([ada.post('/console/unblock', ended), bo.post('/console/unblock', ended)])
      const mine = (await board.decisions('block', 'unblock')).filter(({ facts }) => facts.host === 'twice.net')
      expect(mine.map(({ kind }) => kind)).toEqual(['block', 'unblock'])
    })

    it('again on the same ground, when the end of a block is undone', async () => {
      const ada = await board.enter('Ada')
      await ada.post('/console/block', { host: 'order.net', explanation: 'Order 7', ground: 'law/notice' })
      await ada.post('/console/unblock', fieldsOf(await ada.get('/console/blocks'), '/console/unblock'))
      await ada.post('/console/undo', { id: undoId(await ada.get('/console/blocks')) ?? '' })
      const mine = (await board.decisions('block')).filter(({ facts }) => facts.host === 'order.net')
      expect(mine.map(({ ground }) => ground)).toEqual(['law/notice@1', 'law/notice@1'])
    })

    it('and hide its listings with the command; a page looked at again is a finding, not hidden silently', async () => {
      const [up, down] = [await board.listed('again.net'), await board.listed('gone.net')]
      const again = async () => (await board.json('review-again', up.slug)) as { findings: { kind: string }[] }
      await again()
      expect(await board.json('block', 'gone.net', '--reason', 'Spam', '--hide-listings')).toMatchObject({
        changed: true,
        hidden: [down.slug],
        listed: [],
      })
      expect((await down.receipt()).status).toBe('unavailable')
      expect(await board.json('block', 'again.net', '--reason', 'Spam')).toMatchObject({
        hidden: [],
        listed: [up.slug],
      })
      expect((await again()).findings).toMatchObject([{ kind: 'fails_review', evidence: { reason: 'blocklisted' } }])
      expect((await up.receipt()).status).toBe('published')
    })
  })
})

it('every listing of a host is hidden with the command, however many there are', async () => {
  const database = await migratedDatabase('sqlite')
  try {
    const store = await database.openStore()
    await store.transact(async trx => {
      for (let nth = 0; nth <= 1000; nth++) {
        const hostname = `shop-${nth}.hosting.net`
        const row = listingRow({ slug: `s-${nth}`, hostname, destinationKey: `2:${hostname}`, publishedAt: Date.now() })
        await trx.insertInto('listing').values(row).execute()
      }
    })
    const { output } = await operateHere(
      { ...database.env, SERVICE_KEY: '11'.repeat(32) },
      ...['block', 'hosting.net', '--subdomains', '--hide-listings', '--reason', 'Spam', '--json'],
    )
    expect(JSON.parse(output).hidden).toHaveLength(1001)
    const left = await store.db.selectFrom('listing').select('slug').where('hiddenAt', 'is', null).execute()
    expect(left).toEqual([])
  } finally {
    await database.remove()
  }
})
