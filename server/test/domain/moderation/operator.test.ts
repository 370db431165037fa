import { closeSync, existsSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Receipt } from '@placard/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Store } from '../../../src/platform/db/store.ts'
import { SAME_SQL } from '../../support/engines.ts'
import { operate, operateHere } from '../../support/operate.ts'
import { run } from '../../support/process.ts'
import {
  type Credentials,
  newCredentials,
  publish,
  publishBody,
  startTestService,
  type TestService,
} from '../../support/service.ts'

describe.each(SAME_SQL)('the operator on %s, beside a running service,', engine => {
  let service: TestService
  let store: Store

  beforeAll(async () => {
    service = await startTestService({ engine })
    store = await service.database.openStore()
  })
  afterAll(() => service.stop())
  beforeEach(() => {
    // The command uses the real time, so the service does too.
    service.clock.now = Date.now()
  })

  const placard = (...args: string[]) => operateHere(service.database.env, ...args)
  const slugOf = ({ productUrl }: Receipt) => productUrl.split('/').at(-1) ?? ''
  const home = async () => (await fetch(`${service.url}/`)).text()

  async function publishNew(host: string) {
    const credentials = newCredentials()
    const destination = `http://${host}/`
    const { status, body } = await publish(service, credentials, publishBody(destination))
    expect(status).toBe(201)
    return { credentials, destination, receipt: body as Receipt, slug: slugOf(body) }
  }

  const explained = (explanation: string) => JSON.stringify({ explanation })

  const replay = async (listing: { credentials: Credentials; destination: string }) => {
    const { status, body } = await publish(service, listing.credentials, publishBody(listing.destination))
    expect(status).toBe(200)
    return body
  }

  const decisionsOf = (slug: string) =>
    store.db
      .selectFrom('decision')
      .innerJoin('listing', 'listing.id', 'decision.listingId')
      .select(['kind', 'ground', 'decision.reason', 'actor', 'facts', 'at'])
      .where('slug', '=', slug)
      .where('kind', '<>', 'accept')
      .orderBy('decision.id')
      .execute()

  it('lists nothing, then all listings: newest first, in any status', async () => {
    expect(await placard('list')).toEqual({ code: 0, output: 'There are no listings yet.\n' })
    const first = await publishNew('first.com')
    const second = await publishNew('second.com')
    await placard('hide', first.slug, '--reason', 'not what it says')
    const day = new Date(service.clock.now).toISOString().slice(0, 10)
    expect(await placard('list')).toEqual({
      code: 0,
      output:
        `${day}  published    ${second.slug}  http://second.com/\n` +
        `${day}  unavailable  ${first.slug}  http://first.com/  (operator: not what it says)\n`,
    })
    expect((await placard('list', '--limit', '1')).output).toBe(
      `${day}  published    ${second.slug}  http://second.com/\n`,
    )
    await store.db.updateTable('listing').set({ expiresAt: 1 }).where('slug', '=', second.slug).execute()
    expect((await placard('list', '--limit=1')).output).toContain('  expired  ')
  })

  it('hides a listing: from its page, the home page, and the private link from its receipt', {
    tags: ['programs'],
  }, async () => {
    const listing = await publishNew('hidden.com')
    expect(await home()).toContain('Welcome to hidden.com')
    // In its own process, like every command.
    expect(await operate(service.database.env, 'hide', listing.slug, '--reason', 'reported twice')).toEqual({
      code: 0,
      output: `${listing.slug} is now unavailable.\n`,
    })
    expect(await replay(listing)).toEqual({
      ...listing.receipt,
      status: 'unavailable',
      ownership: {
        sensitive: true,
        domainOwnershipVerified: false,
        recoveryUnavailable: true,
        supportUrl: `${service.url}/support`,
      },
      notice: expect.not.stringContaining('live'),
    })
    const page = await fetch(listing.receipt.productUrl)
    expect(page.status).toBe(410)
    const text = await page.text()
    expect(text).toContain('taken down')
    // Neither what the listing said nor why it was hidden.
    expect(text).not.toContain('Welcome')
    expect(text).not.toContain('reported twice')
    expect(await home()).not.toContain('Welcome to hidden.com')
    // Its destination stays taken, also for its owner.
    const again = await publish(service, newCredentials(), publishBody(listing.destination))
    expect([again.status, again.body.code]).toEqual([409, 'destination_already_listed'])
  })

  it('hiding twice changes nothing, not even the first reason', async () => {
    const { slug } = await publishNew('twice.com')
    await placard('hide', slug, '--reason', 'first', '--ground', 'law/notice')
    expect(await placard('hide', slug, '--reason', 'second')).toEqual({
      code: 0,
      output: `${slug} was already hidden; it is unavailable.\n`,
    })
    const { output } = await placard('list')
    expect(output).toContain(`${slug}  http://twice.com/  (operator: first)`)
    expect(await decisionsOf(slug)).toMatchObject([
      { kind: 'hide', ground: 'law/notice@1', reason: 'illegal', facts: explained('first') },
    ])
  })

  it('restores a listing as it was: published, with its private link and its own end', async () => {
    const listing = await publishNew('restored.com')
    await placard('hide', listing.slug, '--reason', 'by mistake')
    service.clock.now += 1000
    expect(await placard('restore', listing.slug, '--reason', 'it was a mistake')).toEqual({
      code: 0,
      output: `${listing.slug} is now published.\n`,
    })
    const receipt = await replay(listing)
    expect(receipt).toEqual(listing.receipt)
    expect(receipt.expiresAt).toBe(listing.receipt.expiresAt)
    expect((await fetch(listing.receipt.productUrl)).status).toBe(200)
    expect(await home()).toContain('Welcome to restored.com')
    expect(await placard('restore', listing.slug, '--reason', 'again')).toEqual({
      code: 0,
      output: `${listing.slug} was neither hidden nor ended; it is published.\n`,
    })
  })

  it('records who did what, when and why, in order, and every word of the reason', async () => {
    const { slug } = await publishNew('audited.com')
    const reason = 'reported: "gêne", 100%; drop table listing --'
    const before = Date.now()
    // Shown on one terminal line, without anything that would break or reverse it.
    await placard('hide', slug, '--reason', `  ${reason}\u202e\n\u0007 `, '--as', 'anna')
    await placard('restore', slug, '--reason', 'resolved')
    await placard('restore', slug, '--reason', 'nothing to do')
    const events = await decisionsOf(slug)
    expect(events).toMatchObject([
      { kind: 'hide', actor: 'operator:anna', facts: explained(reason), at: expect.any(Number) },
      { kind: 'restore', actor: 'operator:operator', facts: explained('resolved'), at: expect.any(Number) },
    ])
    const [hidden, restored] = events.map(({ at }) => at)
    expect(hidden).toBeGreaterThanOrEqual(before)
    expect(restored).toBeGreaterThanOrEqual(hidden ?? Number.NaN)
    expect(restored).toBeLessThanOrEqual(Date.now())
  })

  it('restores a withdrawn listing, which the owner cannot', async () => {
    const listing = await publishNew('withdrawn.com')
    await withdraw(listing.receipt)
    expect((await replay(listing)).status).toBe('unavailable')
    expect((await placard('list')).output).toContain('(owner: Withdrawn by its owner)')
    const { output } = await placard('hide', listing.slug, '--reason', 'a fraud')
    expect(output).toMatch(/was withdrawn by its owner, who can show it again if .+; "block" prevents that; it is unav/)
    expect((await placard('restore', listing.slug, '--reason', 'the owner asked')).output).toBe(
      `${listing.slug} is now published.\n`,
    )
    expect(await replay(listing)).toEqual(listing.receipt)
    expect(await decisionsOf(listing.slug)).toMatchObject([
      { kind: 'hide', actor: 'owner' },
      { kind: 'restore', actor: 'operator:operator', facts: explained('the owner asked') },
    ])
  })

  it('outranks expiry, and restoring renews nothing', async () => {
    const listing = await publishNew('ended.com')
    await placard('hide', listing.slug, '--reason', 'before its end')
    const ended = Date.now() - 1
    service.clock.now = Date.now()
    await store.db.updateTable('listing').set({ expiresAt: ended }).where('slug', '=', listing.slug).execute()
    expect((await replay(listing)).status).toBe('unavailable')
    expect(await (await fetch(listing.receipt.productUrl)).text()).toContain('taken down')

    expect((await placard('restore', listing.slug, '--reason', 'after its end')).output).toBe(
      `${listing.slug} is now expired.\n`,
    )
    expect(await replay(listing)).toMatchObject({ status: 'expired', expiresAt: ended })
    expect((await fetch(listing.receipt.productUrl)).status).toBe(410)

    // Restored again on purpose: its time restarts.
    expect((await placard('restore', listing.slug, '--reason', 'support asked')).output).toBe(
      `${listing.slug} is now published.\n`,
    )
    const renewed = await replay(listing)
    expect([renewed.status, (renewed.expiresAt ?? 0) > Date.now()]).toEqual(['published', true])
    expect(await home()).toContain(listing.slug)
    expect((await placard('hide', listing.slug, '--reason', 'again')).output).toBe(
      `${listing.slug} is now unavailable.\n`,
    )
    expect((await replay(listing)).status).toBe('unavailable')
  })

  it('says in one line that there is no such listing, exits 1, and changes nothing', async () => {
    const { slug } = await publishNew('untouched.com')
    const all = () => store.db.selectFrom('listing').selectAll().orderBy('id').execute()
    const before = await all()
    await Promise.all(
      [
        ['hide', 'none'],
        ['restore', "' or 1=1 --"],
        ['hide', slug.toUpperCase()],
        ['reissue-link', 'none'],
        ['hide', `/product/${slug}`],
      ].map(async ([command = '', wrong = '']) =>
        expect(await placard(command, wrong, '--reason', 'x')).toEqual({
          code: 1,
          output: `placard: there is no listing "${wrong}"; "list" shows the slugs\n`,
        }),
      ),
    )
    expect(await all()).toEqual(before)
  })

  /** Withdraws a listing as its private page does: the token for a cookie, then the form. */
  async function withdraw({ ownership }: Receipt): Promise<void> {
    const [page = '', token] = ownership.privateRecoveryUrl?.split('#owner=') ?? []
    const own = { 'sec-fetch-site': 'same-origin' }
    const opened = await fetch(`${page}/session`, {
      method: 'POST',
      headers: { ...own, 'content-type': 'application/json' },
      body: JSON.stringify({ token }),
    })
    expect(opened.status).toBe(204)
    const cookie = opened.headers.get('set-cookie')?.split(';')[0] ?? ''
    const withdrawn = await fetch(`${page}/withdraw`, {
      method: 'POST',
      headers: { ...own, cookie, 'content-type': 'application/x-www-form-urlencoded' },
      body: 'confirm=yes',
      redirect: 'manual',
    })
    expect(withdrawn.status).toBe(303)
  }
})

describe('the operator, used wrongly,', () => {
  // A folder that cannot be created, since these must not open anything.
  const env = { DATA_DIR: '/dev/null/none' }

  it('sees in the last line what is wrong and where to read on, and the exit code is 2', {
    tags: ['programs'],
  }, async () => {
    const WHY = ['--reason', 'x']
    const cases: [args: string[], problem: RegExp][] = [
      [['remove', 'first-com'], /^placard: there is no command "remove"; "help" /],
      [['constructor'], /^placard: there is no command "constructor"; /],
      [['hide'], /^placard: hide needs the slug/],
      [['hide', '', '--reason', 'x'], /^placard: hide needs the slug/],
      [['restore', 'first-com'], /^placard: restore needs --reason/],
      [['hide', 'first-com', '--reason', '  '], /^placard: hide needs --reason/],
      [['hide', 'first-com', 'second-com', '--reason', 'x'], /^placard: too many arguments: second-com; /],
      [['hide', 'first-com', '--reason'], /^placard: .*--reason/],
      [
        ['reports', '--limit', '-1'],
        /^placard: --limit needs a value; write one that begins with a dash as --limit=VALUE; /,
      ],
      [['extend', 'first-com', '--reason', 'x', '--days', '-3'], /^placard: --days needs a value; .*--days=VALUE; /],
      [['hide', 'first-com', '--reason', '--as'], /^placard: --reason needs a value; /],
      [['hide', 'first-com', '--reason', 'x', '--reason', 'y'], /^placard: --reason is given twice; "help" /],
      [['list', '--limit=5', '--json', '--limit', '5'], /^placard: --limit is given twice; /],
      [['list', '--al'], /^placard: Unknown option '--al'; "help" /],
      [['list', '--all'], /^placard: .*--all/],
      [['settle', 'first-com', '--reason', 'x'], /^placard: settle needs the number of a report; /],
      [['settle', '1'], /^placard: settle needs --reason/],
      [['settle', '0', ...WHY], /^placard: settle needs the number of a report; /],
      [['list', 'first-com'], /^placard: list takes no arguments; /],
      [['hide', 'first-com', ...WHY, '--days', '3'], /^placard: hide takes no --days; /],
      [['hide', 'first-com', ...WHY, '--as', 'a@b'], /^placard: --as must be a name of /],
      [['hide', 'first-com', ...WHY, '--ground', 'law'], /^placard: --ground must be /],
      [['end', 'first-com', ...WHY, '--ground', ''], /^placard: --ground must be /],
      [['block', 'evil.com', ...WHY, '--ground', 'constructor'], /^placard: --ground must be /],
      [['block', ...WHY], /^placard: block needs a host, /],
      [['unblock', 'http://', ...WHY], /^placard: "http:\/\/" /],
      [['extend', 'first-com', ...WHY, '--days', '1.5'], /^placard: --days must be a whole number from 1 to 60; /],
      [['decide-appeal', 'id', 'accept', ...WHY], /^placard: decide-appeal needs the id of a decision, /],
      [['decide-appeal', '', 'uphold', ...WHY], /^placard: decide-appeal needs the id of a decision, /],
      [['settle-payment', ...WHY], /^placard: settle-payment needs the id of a payment /],
      [['payments'], /^placard: payments needs --unplaced; /],
      [['pick', 'first-com', '--as', 'Ada'], /^placard: pick needs --note, /],
      [['pick', 'first-com', '--note', 'Good.'], /^placard: pick needs --as, /],
      [['review-again'], /^placard: review-again needs the slug of a listing, or --all; /],
      [['review-again', 'first-com', '--all'], /^placard: review-again needs the slug /],
      [['log'], /^placard: log needs the word "show" or "recover"; /],
      [['log', 'show', '--new-log'], /^placard: log needs the word /],
      [['pictures', 'copy', '--to', 'storage'], /^placard: pictures needs what to do: move; /],
      [['pictures', 'move'], /^placard: pictures move needs --to /],
      [['console-invite', 'Ada', '--role', 'owner'], /^placard: --role must be admin or moderator; /],
      [['console-remove'], /^placard: console-remove needs the name of a user; /],
      [['import'], /^placard: import needs the file of an export; /],
      [['restore-backup'], /^placard: restore-backup needs a backup: /],
    ]
    await Promise.all(
      cases.map(async ([args, problem]) => {
        const { code, output } = await operateHere(env, ...args)
        expect([args, code]).toEqual([args, 2])
        expect(output).toMatch(problem)
        // The error is all that is on the screen.
        expect(output.trim().split('\n')).toHaveLength(1)
      }),
    )
    const { code, output } = await operate(env, 'remove', 'first-com')
    expect([code, output]).toEqual([
      2,
      expect.stringMatching(/^placard: there is no command "remove"; "help" [^\n]+\n$/),
    ])
  })

  it('cannot ask for a --limit that is not a whole number', async () => {
    await Promise.all(
      ['0', '-1', '1.5', '1e3', '1000000', ''].map(async limit => {
        const dataDir = mkdtempSync(join(tmpdir(), 'placard-operator-'))
        const { code, output } = await operateHere({ DATA_DIR: dataDir }, 'list', `--limit=${limit}`)
        rmSync(dataDir, { recursive: true })
        expect([limit, code, output]).toEqual([
          limit,
          2,
          expect.stringMatching(/^placard: --limit must be a whole number/),
        ])
      }),
    )
  })

  it('finds the usage with --help or without a word, and the command exits 0', async () => {
    await Promise.all(
      [[], ['help'], ['--help']].map(async args => {
        const { code, output } = await operateHere(env, ...args)
        expect([args, code, output]).toEqual([args, 0, expect.stringMatching(/^Usage: npm run placard -- COMMAND\n/)])
      }),
    )
  })

  it('finds the usage of one command with --help after it, or with help before it', async () => {
    await Promise.all(
      ['list', 'hide', 'settle', 'change-key', 'serve'].flatMap(command =>
        [
          [command, '--help'],
          [command, '-h'],
          ['help', command],
        ].map(async args => {
          const { code, output } = await operateHere(env, ...args)
          expect([args, code]).toEqual([args, 0])
          // What a long command does is on a line of its own, which is indented further.
          const commands = output.match(/^ {2}\S.*(\n {33}\S.*)?$/gm)
          expect(commands).toEqual([expect.stringMatching(new RegExp(`^  ${command} [^]*\\w`))])
          expect([command, output.includes('--as NAME')]).toEqual([command, ['hide', 'settle'].includes(command)])
        }),
      ),
    )
    expect((await operateHere(env, 'help', 'help')).output).toContain('\n  help [COMMAND] ')
    const { code, output } = await operateHere(env, 'help', 'remove')
    expect([code, output]).toEqual([2, expect.stringMatching(/^placard: there is no command "remove"; /)])
  })

  it.skipIf(!existsSync('/dev/full'))(
    'sees that the output could not be written: exit 1',
    {
      tags: ['programs'],
    },
    async () => {
      const full = openSync('/dev/full', 'w')
      const lost = run('server/bundled/placard.js', ['settings', '--json'], env, { stdout: full })
      expect(await lost.ended).toBe(1)
      expect(lost.output()).toMatch(/^placard: the output could not be written: ENOSPC[^\n]+\n$/)
      closeSync(full)

      // As `head` does: it has what it wants.
      const closed = run('server/bundled/placard.js', ['settings', '--json'], env)
      closed.child.stdout?.destroy()
      expect([await closed.ended, closed.output()]).toEqual([0, ''])
    },
  )

  it('sees in one line which setting is invalid, or that the database cannot be opened: exit 1', {
    tags: ['programs'],
  }, async () => {
    const bad = await operate({ LOG_LEVEL: 'loud' }, 'list')
    expect([bad.code, bad.output]).toEqual([1, expect.stringMatching(/^placard: LOG_LEVEL [^\n]+\n$/)])
    const closed = await operate(env, 'list')
    expect([closed.code, closed.output]).toEqual([1, expect.stringMatching(/^placard: [^\n]*DATA_DIR[^\n]+\n$/)])
  })
})
