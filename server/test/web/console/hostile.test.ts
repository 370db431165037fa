import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { hashOf } from '../../../src/domain/moderation/console/sessions.ts'
import { acceptInvitation, changeUser } from '../../../src/domain/moderation/console/users.ts'
import { SQLITE_FIRST } from '../../support/engines.ts'
import { untilWaiting } from '../../support/locks.ts'
import { htmlFaults } from '../../support/page-faults.ts'
import { fieldsOf } from './operating.ts'
import { enter } from './operators.ts'
import { linkShown, type People, startPeople, tokenIn } from './people.ts'

const MINUTE_MS = 60_000

describe.each(SQLITE_FIRST)('hostile users of the console on %s', engine => {
  let people: People
  beforeAll(async () => {
    people = await startPeople(engine)
  })
  afterAll(() => people.pages.close())
  beforeEach(() => {
    // The commands use the real time, so the service does too.
    people.pages.time.now = Date.now()
  })

  /** What the page of the users says after an act. */
  const told = async (person: { get(path: string): Promise<{ html: string }> }) =>
    /console-done[^>]*><div><p>(.*?)<\/p>/.exec((await person.get('/console/users')).html)?.[1] ?? ''

  describe('a device', () => {
    it('makes the service fetch nothing by its certificates; without any, an attestation counts', async () => {
      const asked: string[] = []
      const inside = createServer(({ url = '' }, response) => {
        asked.push(url)
        response.end()
      }).listen(0, '127.0.0.1')
      await once(inside, 'listening')
      const certifiedAt = `http://127.0.0.1:${(inside.address() as AddressInfo).port}/inside`
      const path = await people.invited('Mallory')
      const answer = async (wrong: object) => {
        const [person, device] = [people.newPerson(), people.newDevice()]
        const options = await people.asked(person, { wants: 'create', token: tokenIn(path) })
        return person.post(path, { answer: device.create(options, wrong) })
      }
      expect((await answer({ certifiedAt })).html).toContain('wasn’t accepted')
      expect(asked).toEqual([])
      expect((await answer({ attestsItself: true })).location).toBe('/console')
      inside.close()
    })

    it('that another website asked, or that names another, is refused', async () => {
      const { device } = await people.newUser('Phished')
      const path = await people.invited('Phishing')
      const { port } = new URL(people.origin)
      const wrongs = [
        { rpId: 'evil.example' },
        { origin: `http://login.localhost:${port}` },
        { origin: 'http://localhost' },
        { origin: `https://localhost:${port}` },
        { challenge: Buffer.alloc(32).toString('base64url') },
      ]
      for (const wrong of wrongs) {
        const signedIn = await people.signIn(device, wrong)
        expect([signedIn.status, signedIn.html.includes('wasn’t accepted')]).toEqual([403, true])
        const person = people.newPerson()
        const options = await people.asked(person, { wants: 'create', token: tokenIn(path) })
        expect((await person.post(path, { answer: people.newDevice().create(options, wrong) })).status).toBe(403)
      }
      expect(await people.userNow('Phishing')).toMatchObject({ passkeys: 0 })
    })

    it('gets a refusal for any answer, and an id that is too long is one', async () => {
      const answers = [
        '{"id":{"toString":1}}',
        '{"id":"\\u0000"}',
        '{"id":"\\ud800"}',
        `{"id":"${'a'.repeat(2000)}"}`,
        '{"id":"x","response":{"userHandle":{"a":1}}}',
        '{"__proto__":{"id":"x"}}',
      ]
      const path = await people.invited('Odd')
      for (const answer of answers) {
        const person = people.newPerson()
        await people.asked(person, { wants: 'get' })
        expect([answer, (await person.post('/console/enter', { answer })).status]).toEqual([answer, 403])
        await people.asked(person, { wants: 'create', token: tokenIn(path) })
        expect([answer, (await person.post(path, { answer })).status]).toEqual([answer, 403])
      }
      expect(await people.accept(path, people.newDevice(3000))).toMatchObject({ status: 403 })
      expect(await people.accept(path, people.newDevice(1023))).toMatchObject({ location: '/console' })
    })

    it('is registered once, for one user, and its answer is taken once', async () => {
      const { device } = await people.newUser('Owner of it')
      const again = await people.accept(await people.invited('Second'), device)
      expect([again.status, again.html.includes('already in use')]).toEqual([403, true])
      const { person } = await people.newUser('Repeating')
      const answer = people.newDevice().create(await people.asked(person, { wants: 'create' }))
      await person.post('/console/passkey', { answer, label: 'x'.repeat(900) })
      expect(await told(person)).toBe('The passkey was added.')
      const { id } = JSON.parse(answer)
      const rows = people.pages.store.db.selectFrom('console_passkey').select(['id', 'label']).where('id', '=', id)
      expect((await rows.executeTakeFirstOrThrow()).label.length).toBeLessThanOrEqual(40)
      await person.post('/console/passkey-remove', { id })
      await person.post('/console/passkey', { answer, label: 'Replayed' })
      expect(await told(person)).toContain('That took too long')
      expect(await rows.execute()).toEqual([])
    })
  })

  it('strangers who ask for challenges store nothing', async () => {
    const count = async () =>
      (await people.pages.store.db.selectFrom('console_challenge').select('hash').execute()).length
    const { device } = await people.newUser('Signing')
    const before = await count()
    for (let nth = 0; nth < 50; nth++) await people.asked(people.newPerson(), { wants: 'get' })
    expect(await count()).toBe(before)
    await people.signIn(device)
    expect(await count()).toBe(before + 1)
  })

  describe('the thief of a session', () => {
    const MINUTES_LATER = 11

    it('gets no other way in: passkeys, users and private links need a recent sign-in, which leads back', async () => {
      const { person, device } = await people.newUser('Victim', 'admin')
      await people.newUser('Bystander')
      const { slug } = await people.pages.addListing()
      const listing = `/console/listing/${slug}`
      const reissue = { ...fieldsOf(await person.get(listing), '/console/reissue'), explanation: 'She called back' }
      const mine = people.newDevice()
      const answer = mine.create(await people.asked(person, { wants: 'create' }))
      people.pages.time.now += MINUTES_LATER * MINUTE_MS
      expect((await person.post('/console/options', { wants: 'create' })).status).toBe(403)
      for (const [path, fields] of [
        ['passkey', { answer }],
        ['passkey-remove', { id: device.id }],
        ['invite', { name: 'Accomplice', role: 'admin' }],
        ['user', { name: 'Bystander', to: 'admin' }],
        ['user', { name: 'Bystander', to: 'removed' }],
        ['user', { name: 'Bystander', to: 'ended' }],
      ] as const) {
        expect((await person.post(`/console/${path}`, fields)).location).toBe('/console/users')
        expect(await told(person)).toBe('Nothing changed. Sign in again first.')
      }
      // What was written is kept.
      const refused = await person.post('/console/reissue', reissue)
      expect(refused.html).toContain('You signed in more than ten minutes ago, so nothing changed.')
      expect(refused.html).toMatch(/<textarea[^>]*>\s*She called back/)
      expect(fieldsOf(refused, '/console/enter')).toEqual({ slug })
      expect((await person.post('/console/reissue', { ...reissue, explanation: '' })).location).toBe(listing)
      expect(await people.userNow('Bystander')).toMatchObject({ role: 'moderator', sessions: 1, passkeys: 1 })
      expect(await people.userNow('Accomplice')).toBeUndefined()
      expect(await people.userNow('Victim')).toMatchObject({ passkeys: 1 })

      for (const [path, from] of [
        ['/console/users', { from: 'users' }],
        [listing, { slug }],
      ] as const) {
        const page = await person.get(path)
        expect(page.html).toContain('You signed in more than ten minutes ago.')
        expect(page.html).not.toMatch(/action="\/console\/(passkey|passkey-remove|user|invite|reissue)"/)
        expect(await htmlFaults(page.html)).toEqual([])
        expect(fieldsOf(page, '/console/enter')).toEqual(from)
      }
      const before = person.cookies.get('placard_console')?.value
      const again = device.get(await people.asked(person, { wants: 'get' }))
      expect((await person.post('/console/enter', { answer: again, from: 'users' })).location).toBe('/console/users')
      expect((await person.get('/console/users')).html).toContain('Invite a user')
      // The stolen one ends with it.
      const thief = people.newPerson()
      thief.cookies.set('placard_console', { value: before ?? '', path: '/console', flags: [] })
      expect((await thief.get('/console')).status).toBe(403)
      expect(await people.userNow('Victim')).toMatchObject({ sessions: 1 })
    })

    it('nor when the clock is set back; a link from the server is a sign-in, too', async () => {
      const { person } = await people.newUser('Back', 'admin')
      people.pages.time.now -= MINUTES_LATER * MINUTE_MS
      expect((await person.get('/console')).status).toBe(200)
      expect((await person.post('/console/options', { wants: 'create' })).status).toBe(403)
      people.pages.time.now += MINUTES_LATER * MINUTE_MS
      const root = await enter(people.pages, 'Root')
      expect((await root.get('/console/users')).html).toContain('Invite a user')
    })

    it('plants no session, and sends nobody to another website after a sign-in', async () => {
      const { device } = await people.newUser('Fixed')
      const planted = 'A'.repeat(43)
      const person = people.newPerson()
      person.cookies.set('placard_console', { value: planted, path: '/console', flags: [] })
      expect((await people.signIn(device, {}, person)).location).toBe('/console')
      expect(person.cookies.get('placard_console')?.value).not.toBe(planted)
      for (const fields of [
        { from: '//evil.example' },
        { from: 'https://evil.example' },
        { slug: '../../../evil' },
        { slug: '/evil.example' },
        { waiting: '//evil.example', back: 'https://evil.example' },
      ]) {
        const answer = device.get(await people.asked(person, { wants: 'get' }))
        expect((await person.post('/console/enter', { answer, ...fields })).location).toBe('/console')
      }
    })
  })

  it('nobody frames a page of the console, whatever it answers', async () => {
    const { person } = await people.newUser('Framed')
    const replies = [
      await person.get('/console/users'),
      await person.get('/console/listing/none'),
      await people.newPerson().get('/console'),
      await people.newPerson().get(await people.invited('Framing')),
      await people.newPerson().post('/console/user', { name: 'Framed' }, { 'sec-fetch-site': 'cross-site' }),
    ]
    for (const { headers } of replies) {
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    }
  })

  describe('an admin', () => {
    it('who is demoted or removed does not come back by an invitation', async () => {
      const { person: boss } = await people.newUser('Boss', 'admin')
      await people.newUser('Gil', 'admin')
      const again = await people.invited('Gil', 'admin')
      await boss.post('/console/user', { name: 'Gil', to: 'moderator' })
      const { person: gil } = await people.accept(again)
      expect((await gil.get('/console/users')).html).not.toContain('Invite a user')
      expect(await people.userNow('Gil')).toMatchObject({ role: 'moderator' })

      const { person: rogue } = await people.newUser('Rogue', 'admin')
      const crony = linkShown((await rogue.post('/console/invite', { name: 'Crony', role: 'admin' })).html)
      await people.placard('console-end', 'Rogue')
      expect((await people.accept(crony)).status).toBe(403)
      expect(await people.userNow('Crony')).toBeUndefined()
    })

    it('has twenty invitations open at most', async () => {
      const { person: busy } = await people.newUser('Busy', 'admin')
      const open = async () =>
        (
          await people.pages.store.db
            .selectFrom('console_link')
            .select('hash')
            .where('invitedBy', '=', 'Busy')
            .execute()
        ).length
      for (let nth = 0; nth < 25; nth++) await busy.post('/console/invite', { name: `Bot ${nth} of many` })
      expect(await told(busy)).toBe('Nothing changed: 20 invitations are open: withdraw some first.')
      expect(await open()).toBeLessThanOrEqual(20)
      for (let nth = 0; nth < 25; nth++) await busy.post('/console/user', { name: `Bot ${nth} of many`, to: 'ended' })
      expect(await open()).toBe(0)
    })

    it('loses a role to another who loses it at the same time only once', async () => {
      const [{ person: one }, { person: two }] = [
        await people.newUser('Uno', 'admin'),
        await people.newUser('Due', 'admin'),
      ]
      await Promise.all([
        one.post('/console/user', { name: 'Due', to: 'moderator' }),
        two.post('/console/user', { name: 'Uno', to: 'moderator' }),
      ])
      const roles = [await people.userNow('Uno'), await people.userNow('Due')].map(user => user?.role)
      expect(roles.sort()).toEqual(['admin', 'moderator'])
    })

    it('invites no name that is blank, or that looks like somebody on record', async () => {
      await people.newUser('Ida')
      const { person: admin } = await people.newUser('Namer', 'admin')
      // Fillers that show as blanks, names that the log shows for others, wide letters, letters like marks, piled marks.
      for (const name of [
        ...[
          'Ida\u3164',
          'I\uffa0da',
          '\u115fIda',
          'ⅠＤＡ',
          'Idaʼ',
          'Idaː',
          '𝐈𝐝𝐚',
          'Іdа',
          'Ida\ufe0f',
          `Ida${'\u0301'.repeat(9)}`,
        ],
        ...['the owner', 'The Owner', 'a visitor', 'the service', 'The-Service', 'reporter', 'automatic'],
      ]) {
        expect([name, (await admin.post('/console/invite', { name })).status]).toEqual([name, 303])
        expect(await told(admin)).toContain('on record')
      }
      for (const name of ['\u3164', '\u202eIda', '<b>Ida</b>', '\0', 'a,b', '']) {
        await admin.post('/console/invite', { name })
        expect([name, await told(admin)]).toEqual([name, expect.stringMatching(/A name has up to 40|on record/)])
      }
      const made = people.pages.store.db.selectFrom('console_link').select('name').where('invitedBy', '=', 'Namer')
      expect(await made.execute()).toEqual([])
    })
  })

  it('who send a NUL, or texts of any length, get an answer, and change nothing', async () => {
    const { person } = await people.newUser('Null', 'admin')
    const { slug } = await people.pages.addListing()
    for (const [path, fields] of [
      ['user', { name: '\0', to: 'removed' }],
      ['user', { name: 'x'.repeat(9000), to: 'admin' }],
      ['passkey-remove', { id: '\0' }],
      ['payment', { id: 'pi\0', explanation: 'x' }],
      ['unblock', { host: '\0', id: '\0' }],
      ['appeal', { id: '\0', explanation: 'x', result: 'upheld' }],
      ['undo', { id: '\0' }],
      ['term', { slug, explanation: 'x', to: 'extend', days: '1e1', case: '999999999999999.0.0.' }],
      ['act', { hide: '999999999999999.999999999999999.999999999999999.' }],
      ['reissue', { slug, explanation: 'x', version: '1e400' }],
      ['block', { host: '\0', explanation: 'x' }],
    ] as const) {
      expect([path, (await person.post(`/console/${path}`, fields)).status]).toEqual([path, 303])
    }
    for (const path of ['/console/listings?q=%00', '/console?reason=__proto__', '/console?waiting=a&waiting=b']) {
      expect([path, (await person.get(path)).status]).toEqual([path, 200])
    }
    expect((await person.get('/console/listing/%00')).status).toBe(404)
    expect((await people.newPerson().get('/console/invite/%00')).status).toBe(403)
  })
})

it('an invitation that is accepted while its user is removed makes no user', { tags: ['postgres'] }, async () => {
  const people = await startPeople('postgres')
  const { store } = people.pages
  const link = tokenIn(await people.invited('Racer'))
  let removed: Promise<unknown> = Promise.resolve()
  await store.transact(async trx => {
    const name = await acceptInvitation(trx, link, Date.now())
    const passkey = { id: 'raced', name, label: 'x', publicKey: 'x', counter: 0, addedAt: 0, usedAt: null }
    await trx.insertInto('console_passkey').values(passkey).execute()
    removed = changeUser(store, 'Racer', 'removed', null, Date.now())
    await untilWaiting(store)
  })
  await removed
  expect(await store.db.selectFrom('console_operator').select('name').execute()).toEqual([])
  await people.pages.close()
})

describe('users of the console at the same moment', { tags: ['postgres'] }, () => {
  let people: People
  beforeAll(async () => {
    people = await startPeople('postgres')
  })
  afterAll(() => people.pages.close())

  it('are no admins by an invitation that they accept while they are demoted', async () => {
    const { store, time } = people.pages
    time.now = Date.now()
    const { person: boss } = await people.newUser('Boss', 'admin')
    const link = tokenIn(await people.invited('Racer', 'admin'))
    let demoted: Promise<unknown> = Promise.resolve()
    await store.transact(async trx => {
      await acceptInvitation(trx, link, Date.now())
      demoted = boss.post('/console/user', { name: 'Racer', to: 'moderator' })
      await untilWaiting(store)
    })
    await demoted
    expect(await people.userNow('Racer')).toMatchObject({ role: 'moderator' })
  })

  it('invite no one while a command removes them', async () => {
    const { store, time } = people.pages
    time.now = Date.now()
    const { person: rogue } = await people.newUser('Rogue', 'admin')
    const earlier = hashOf(tokenIn(await people.invited('Crony')))
    let [invited, removed]: Promise<unknown>[] = []
    await store.transact(async trx => {
      // The new invitation ends the earlier one, and waits for it.
      await trx.updateTable('console_link').set({ endsAt: Date.now() }).where('hash', '=', earlier).execute()
      invited = rogue.post('/console/invite', { name: 'Crony', role: 'admin' })
      await untilWaiting(store)
      removed = people.placard('console-remove', 'Rogue')
      await untilWaiting(store, 2)
    })
    await Promise.all([invited, removed])
    expect(await people.userNow('Rogue')).toBeUndefined()
    expect(await people.userNow('Crony')).toBeUndefined()
  })

  it('remove no passkey in a session that the removal of another has just ended', async () => {
    const { store, time } = people.pages
    time.now = Date.now()
    const { person: owner, device } = await people.newUser('Olga')
    const { person: thief } = await people.signIn(device)
    for (const label of ['Desk', 'Stolen']) {
      const answer = people.newDevice().create(await people.asked(owner, { wants: 'create' }))
      await owner.post('/console/passkey', { answer, label })
    }
    const passkeys = () =>
      store.db.selectFrom('console_passkey').select(['id', 'label']).where('name', '=', 'Olga').execute()
    const idOf = async (label: string) => (await passkeys()).find(each => each.label === label)?.id ?? ''
    const [stolen, phone] = [await idOf('Stolen'), await idOf('Phone')]
    const removals: Promise<unknown>[] = []
    await store.transact(async trx => {
      await trx.updateTable('console_operator').set({ name: 'Olga' }).where('name', '=', 'Olga').execute()
      removals.push(owner.post('/console/passkey-remove', { id: stolen }))
      await untilWaiting(store)
      removals.push(thief.post('/console/passkey-remove', { id: phone }))
      await untilWaiting(store, 2)
    })
    await Promise.all(removals)
    // The first one ended the session of the other.
    expect(await passkeys()).toHaveLength(2)
    const statuses = [(await owner.get('/console')).status, (await thief.get('/console')).status]
    expect(statuses.sort()).toEqual([200, 403])
  })
})
