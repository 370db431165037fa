import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { SQLITE_FIRST } from '../../support/engines.ts'
import { htmlFaults } from '../../support/page-faults.ts'
import { buttonOf, enter, idOf, linkFor, reported } from './operators.ts'
import { linkShown, type People, startPeople, tokenIn } from './people.ts'

describe.each(SQLITE_FIRST)('passkeys of the console on %s', engine => {
  let people: People
  beforeAll(async () => {
    people = await startPeople(engine)
  })
  afterAll(() => people.pages.close())
  beforeEach(() => {
    // The commands use the real time, so the service does too.
    people.pages.time.now = Date.now()
  })

  describe('an invitation', () => {
    it('makes a user by a passkey; what only opens it, and a failed passkey, leave it valid', async () => {
      const path = await people.invited('Ida')
      const person = people.newPerson()
      for (let time = 0; time < 3; time++) {
        const { status, html } = await people.newPerson().get(path)
        expect([status, html.includes('Welcome, Ida'), html.includes('a moderator')]).toEqual([200, true, true])
        expect(await htmlFaults(html)).toEqual([])
      }
      const device = people.newDevice()
      const options = await people.asked(person, { wants: 'create', token: tokenIn(path) })
      expect(options).toMatchObject({
        rp: { id: 'localhost' },
        user: { name: 'Ida' },
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      })
      const refused = await person.post(path, { answer: device.create(options, { verifiesUser: false }) })
      expect([refused.status, refused.html.includes('wasn’t accepted')]).toEqual([403, true])
      const next = device.create(await people.asked(person, { wants: 'create', token: tokenIn(path) }))
      expect((await person.post(path, { answer: next, label: 'My <b>phone' })).location).toBe('/console')
      const page = await person.get('/console/users')
      expect(page.html).toContain('My &lt;b>phone')
      expect(await htmlFaults(page.html)).toEqual([])
      expect(await people.userNow('Ida')).toMatchObject({
        role: 'moderator',
        passkeys: 1,
        sessions: 1,
        invitedUntil: null,
      })

      const again = people.newPerson()
      expect((await again.get(path)).html).toContain('This invitation doesn’t work')
      expect((await again.post('/console/options', { wants: 'create', token: tokenIn(path) })).status).toBe(403)
    })

    it('opens no session by itself, and ends after three days, when replaced, or withdrawn', async () => {
      const path = await people.invited('Olaf')
      expect((await people.newPerson().post(`/console/enter/${tokenIn(path)}`, {})).status).toBe(403)
      const newer = await people.invited('Olaf')
      expect((await people.newPerson().get(path)).status).toBe(403)
      expect((await people.newPerson().get(newer)).status).toBe(200)
      const [another, link] = [await people.invited('Olga'), await linkFor(people.pages, 'Olga')]
      expect((await people.placard('console-remove', 'Olaf')).output).toBe('Olaf can no longer sign in.\n')
      expect((await people.newPerson().get(newer)).status).toBe(403)
      expect((await people.newPerson().get(another)).status).toBe(200)
      // A new invitation ends no sign-in link.
      await people.invited('Olga')
      expect((await people.newPerson().post(link, {})).location).toBe('/console')
      const last = await people.invited('Olaf')
      people.pages.time.now = Date.now() + 3 * 24 * 60 * 60 * 1000
      expect((await people.newPerson().get(last)).status).toBe(403)
    })

    it('gives one user to two that use it at once', async () => {
      const path = await people.invited('Twin')
      const both = await Promise.all(
        [1, 2].map(async () => {
          const person = people.newPerson()
          const options = await people.asked(person, { wants: 'create', token: tokenIn(path) })
          return { person, answer: people.newDevice().create(options) }
        }),
      )
      const statuses = await Promise.all(
        both.map(async ({ person, answer }) => (await person.post(path, { answer })).status),
      )
      expect(statuses.sort()).toEqual([303, 403])
      expect(await people.userNow('Twin')).toMatchObject({ passkeys: 1 })
    })

    it('is refused from another origin', async () => {
      const path = await people.invited('Cross')
      const person = people.newPerson()
      const options = await people.asked(person, { wants: 'create', token: tokenIn(path) })
      const answer = people.newDevice().create(options)
      for (const site of ['cross-site', 'same-site', 'none']) {
        expect((await person.post(path, { answer }, { 'sec-fetch-site': site })).status).toBe(403)
        expect((await person.post('/console/options', { wants: 'get' }, { 'sec-fetch-site': site })).status).toBe(403)
      }
      expect(await people.userNow('Cross')).toMatchObject({ passkeys: 0 })
    })
  })

  describe('signing in', () => {
    it('opens a new session under the name of the user, whatever a form says', async () => {
      const { device, person: first } = await people.newUser('Nora')
      await first.post('/console/end', {})
      const { person, location } = await people.signIn(device)
      expect(location).toBe('/console')
      const { slug } = await people.pages.addListing()
      const id = await idOf(people.pages.store, slug)
      await reported(people.pages, slug)
      const hide = buttonOf(await person.get('/console'), 'hide', id)
      await person.post('/console/act', { hide, name: 'Ida', as: 'Ida', actor: 'operator:Ida' })
      const rows = await people.pages.store.db
        .selectFrom('decision')
        .select('actor')
        .where('listingId', '=', id)
        .where('kind', '=', 'hide')
        .execute()
      expect(rows).toEqual([{ actor: 'operator:Nora' }])
    })

    it('takes each answer once, from the browser that asked, in time', async () => {
      const { device } = await people.newUser('Rita')
      const { person, answer, location } = await people.signIn(device)
      expect(location).toBe('/console')
      const cookie = person.cookies.get('placard_challenge')
      expect(cookie?.flags).toEqual(['HttpOnly', 'Max-Age=300', 'Path=/console', 'SameSite=Strict'].sort())
      const replayed = await person.post('/console/enter', { answer })
      expect([replayed.status, replayed.html.includes('That took too long')]).toEqual([403, true])

      const [victim, thief] = [people.newPerson(), people.newPerson()]
      const stolen = device.get(await people.asked(victim, { wants: 'get' }))
      await people.asked(thief, { wants: 'get' })
      expect((await thief.post('/console/enter', { answer: stolen })).status).toBe(403)
      expect((await people.newPerson().post('/console/enter', { answer: stolen })).status).toBe(403)

      const late = device.get(await people.asked(victim, { wants: 'get' }))
      people.pages.time.now += 5 * 60 * 1000
      expect((await victim.post('/console/enter', { answer: late })).html).toContain('That took too long')
    })

    it('refuses another origin, an unverified person, another user, and nonsense', async () => {
      const { device } = await people.newUser('Oda')
      for (const wrong of [{ origin: 'https://evil.example' }, { verifiesUser: false }, { userHandle: 'b3RoZXI' }]) {
        const { status, html } = await people.signIn(device, wrong)
        expect([status, html.includes('wasn’t accepted')]).toEqual([403, true])
      }
      const stranger = people.newDevice()
      const { html } = await people.signIn(stranger)
      expect(html).toContain('We don’t know this passkey')
      expect(await htmlFaults(html)).toEqual([])
      const oda = await people.pages.store.db
        .selectFrom('console_passkey')
        .select('id')
        .where('name', '=', 'Oda')
        .execute()
      for (const answer of ['', 'null', '[]', '{', '7', '"x"', `{"id":"${oda[0]?.id}"}`, '{"id":{"a":1}}']) {
        const person = people.newPerson()
        await people.asked(person, { wants: 'get' })
        expect([answer, (await person.post('/console/enter', { answer })).status]).toEqual([answer, 403])
      }
    })

    it('refuses a counter that does not rise, and says that the passkey may be copied', async () => {
      const { device } = await people.newUser('Cleo')
      expect((await people.signIn(device)).location).toBe('/console')
      device.counter = 0
      expect((await people.signIn(device)).html).toContain('may have been copied')
      device.counter = 7
      expect((await people.signIn(device)).location).toBe('/console')
      device.counter = -1
      expect((await people.signIn(device)).html).toContain('may have been copied')
    })

    it('accepts devices that never count', async () => {
      const { device } = await people.newUser('Sync')
      await people.newUser('Idle')
      for (let time = 0; time < 2; time++) {
        device.counter = -1
        expect((await people.signIn(device)).location).toBe('/console')
      }
      expect(await people.userNow('Idle')).toMatchObject({ lastSignIn: null })
    })

    it('is limited per network', async () => {
      const person = people.newPerson()
      const statuses = new Set<number>()
      for (let time = 0; time < 45; time++) {
        statuses.add((await person.post('/console/enter', { answer: '{}' })).status)
      }
      expect([...statuses]).toEqual([403, 429])
      expect((await people.newPerson().post('/console/options', { wants: 'get' })).status).toBe(200)
    })
  })

  describe('users', () => {
    it('add passkeys and remove them, but not the last; removing one ends other sessions', async () => {
      const { person, device } = await people.newUser('Pam')
      const other = await people.signIn(device)
      const [phone] = await passkeysOf('Pam')
      await person.post('/console/passkey-remove', { id: phone?.id ?? '' })
      expect((await person.get('/console/users')).html).toContain('Nothing was removed')
      const second = people.newDevice()
      const answer = second.create(await people.asked(person, { wants: 'create' }))
      await person.post('/console/passkey', { answer, label: 'Desk' })
      expect((await passkeysOf('Pam')).map(({ label }) => label)).toEqual(['Phone', 'Desk'])
      // Of another user, and of this one.
      await (await people.newUser('Paul')).person.post('/console/passkey-remove', { id: phone?.id ?? '' })
      expect(await passkeysOf('Pam')).toHaveLength(2)
      await person.post('/console/passkey-remove', { id: phone?.id ?? '' })
      expect((await passkeysOf('Pam')).map(({ label }) => label)).toEqual(['Desk'])
      expect((await person.get('/console')).status).toBe(200)
      expect((await other.person.get('/console')).status).toBe(403)
      expect((await people.signIn(device)).html).toContain('We don’t know this passkey')
      expect((await people.signIn(second)).location).toBe('/console')
    })

    const passkeysOf = (name: string) =>
      people.pages.store.db
        .selectFrom('console_passkey')
        .select(['id', 'label'])
        .where('name', '=', name)
        .orderBy('addedAt')
        .orderBy('label', 'desc')
        .execute()

    it('of one role see what they may do, and a moderator changes nobody', async () => {
      const { person: mod } = await people.newUser('Mo')
      const { person: admin } = await people.newUser('Alma', 'admin')
      const { slug } = await people.pages.addListing()
      for (const [person, sees] of [
        [admin, true],
        [mod, false],
      ] as const) {
        const page = (await person.get('/console/users')).html
        expect([page.includes('Invite a user'), page.includes('Change <bdi>')]).toEqual([sees, sees])
        const listing = (await person.get(`/console/listing/${slug}`)).html
        expect(listing.includes('A lost private link')).toBe(sees)
      }
      for (const [path, fields] of [
        ['user', { name: 'Alma', to: 'removed' }],
        ['user', { name: 'Alma', to: 'ended' }],
        ['user', { name: 'Mo', to: 'admin' }],
        ['invite', { name: 'Friend', role: 'admin' }],
      ] as const) {
        await mod.post(`/console/${path}`, fields)
        expect((await mod.get('/console/users')).html).toContain('only an admin can do this')
      }
      await mod.post('/console/reissue', { slug, explanation: 'I like it', version: '1' })
      expect((await mod.get(`/console/listing/${slug}`)).html).toContain('No link was reissued: ask an admin')
      expect(await people.userNow('Alma')).toMatchObject({ role: 'admin', passkeys: 1, sessions: 1 })
      expect(await people.userNow('Mo')).toMatchObject({ role: 'moderator' })
      expect(await people.userNow('Friend')).toBeUndefined()
    })

    it('are invited, changed, signed out and removed by an admin, at once', async () => {
      const { person: admin } = await people.newUser('Ann', 'admin')
      const made = await admin.post('/console/invite', { name: ' Bea ', role: 'moderator' })
      expect(await htmlFaults(made.html)).toEqual([])
      const path = linkShown(made.html)
      expect(await people.userNow('Bea')).toMatchObject({ invitedBy: 'Ann', passkeys: 0, role: 'moderator' })
      const [bea, device] = [people.newPerson(), people.newDevice()]
      const answer = device.create(await people.asked(bea, { wants: 'create', token: tokenIn(path) }))
      expect((await bea.post(path, { answer })).location).toBe('/console')
      expect((await bea.get('/console/users')).html).not.toContain('Invite a user')
      await admin.post('/console/user', { name: 'Bea', to: 'admin' })
      expect((await bea.get('/console/users')).html).toContain('Invite a user')
      await admin.post('/console/user', { name: 'Bea', to: 'ended' })
      expect((await bea.get('/console')).status).toBe(403)
      expect((await people.signIn(device, {}, bea)).location).toBe('/console')
      await admin.post('/console/user', { name: 'Bea', to: 'removed' })
      expect((await bea.get('/console')).status).toBe(403)
      expect((await bea.post('/console/act', { keep: 'x' })).status).toBe(403)
      expect((await people.signIn(device)).html).toContain('We don’t know this passkey')
    })

    it('never change themselves, so one admin stays, also if two remove each other', async () => {
      const { person: one } = await people.newUser('Uma', 'admin')
      const { person: two } = await people.newUser('Udo', 'admin')
      for (const to of ['removed', 'moderator', 'ended']) {
        await one.post('/console/user', { name: 'Uma', to })
        expect((await one.get('/console/users')).html).toContain('another admin must do this')
      }
      await Promise.all([
        one.post('/console/user', { name: 'Udo', to: 'removed' }),
        two.post('/console/user', { name: 'Uma', to: 'removed' }),
      ])
      expect(
        [await people.userNow('Uma'), await people.userNow('Udo')].filter(each => each !== undefined),
      ).toHaveLength(1)
    })

    it('take the invitations that they made with them', async () => {
      const { person: chief } = await people.newUser('Chief', 'admin')
      const [{ person: one }, { person: two }] = [
        await people.newUser('Rogue', 'admin'),
        await people.newUser('Lapsed', 'admin'),
      ]
      await one.post('/console/invite', { name: 'Crony', role: 'admin' })
      await two.post('/console/invite', { name: 'Pal', role: 'admin' })
      expect([await people.userNow('Crony'), await people.userNow('Pal')]).toMatchObject([
        { role: 'admin' },
        { role: 'admin' },
      ])
      await chief.post('/console/user', { name: 'Rogue', to: 'removed' })
      await chief.post('/console/user', { name: 'Lapsed', to: 'moderator' })
      expect([await people.userNow('Crony'), await people.userNow('Pal')]).toEqual([undefined, undefined])
    })

    it('keep their names: no admin invites one that is on record, or looks like it', async () => {
      const { person: admin } = await people.newUser('Gil', 'admin')
      await people.newUser('Vera')
      const { slug } = await people.pages.addListing()
      await people.placard('hide', slug, '--reason', 'x', '--as', 'Old Hand')
      // Latin and Cyrillic letters, capitals, accents, spaces.
      for (const name of [
        'Vera',
        'vera',
        'Vеra',
        'Véra',
        ' Vera',
        'Old  Hand',
        'old hand',
        'Gil',
        'GiI',
        'operator',
        'Owner',
        'old.hand',
        'Gil.',
      ]) {
        const { status } = await admin.post('/console/invite', { name, role: 'moderator' })
        expect([name, status]).toEqual([name, 303])
        expect((await admin.get('/console/users')).html).toMatch(/on record/)
      }
      for (const name of ['', '<b>', 'x'.repeat(41)]) {
        await admin.post('/console/invite', { name, role: 'moderator' })
        expect((await admin.get('/console/users')).html).toContain('A name has up to 40 letters')
      }
      expect((await people.placard('console-invite', 'vera')).output).toContain('vera looks like Vera')
      // On the server, the same person can be let in again, and keeps the role.
      expect(await people.json('console-invite', 'Vera')).toMatchObject({ name: 'Vera', role: 'moderator' })
      expect(await people.json('console-invite', 'Gil')).toMatchObject({ role: 'admin' })
    })

    it('who came by a link from the server are admins, and add a passkey', async () => {
      const person = people.newPerson()
      await person.post(await linkFor(people.pages, 'Root'), {})
      const page = await person.get('/console/users')
      expect(page.html).toContain('You have none.')
      const device = people.newDevice()
      await person.post('/console/passkey', { answer: device.create(await people.asked(person, { wants: 'create' })) })
      expect((await people.signIn(device)).location).toBe('/console')
      expect(await people.userNow('Root')).toMatchObject({ role: 'admin', passkeys: 1 })
      // Ending the sessions of a user with a passkey leaves both.
      expect((await people.placard('console-end', 'Root')).output).toBe('Ended for Root: 2 sessions, 0 unused links.\n')
      expect((await people.signIn(device)).location).toBe('/console')
      await enter(people.pages, 'Guest')
      await people.placard('console-end', 'Guest')
      expect(await people.userNow('Guest')).toBeUndefined()
    })
  })

  it('commands list, invite and remove users, and say what is wrong', async () => {
    await people.newUser('Liz')
    await people.invited('Soon')
    const { output } = await people.placard('console-users')
    expect(output).toMatch(/^Liz \(moderator\), 1 passkey, 1 session$/m)
    expect(output).toMatch(/^Soon \(moderator\), invited until \S+ \S+ UTC$/m)
    expect(await people.placard('console-remove', 'Nobody here')).toMatchObject({ code: 1 })
    expect((await people.placard('console-invite', 'Liz', '--role', 'king')).output).toContain('--role must be')
    expect(await people.json('console-remove', 'Liz')).toEqual({ name: 'Liz', removed: true })
    expect(await people.userNow('Liz')).toBeUndefined()
  })

  it('stores hashes and public keys only, and exports no passkey', async () => {
    const { path } = await people.newUser('Hal')
    const open = await people.invited('Open')
    const person = people.newPerson()
    const { challenge } = await people.asked(person, { wants: 'get' })
    const tables = ['console_link', 'console_challenge', 'console_passkey', 'console_operator'] as const
    const rows = await Promise.all(tables.map(table => people.pages.store.db.selectFrom(table).selectAll().execute()))
    for (const secret of [tokenIn(path), tokenIn(open), challenge]) expect(JSON.stringify(rows)).not.toContain(secret)
  })
})
