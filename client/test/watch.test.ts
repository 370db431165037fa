import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Store } from '../../server/src/platform/db/store.ts'
import { allLogged } from '../../server/test/support/all-logged.ts'
import { run } from '../../server/test/support/process.ts'
import type { TestService } from '../../server/test/support/service.ts'
import { errorOf, newClient, newJournalPath, RECEIPT, REQUEST, runHere, startCli } from './fixtures.ts'
import { refuse, reply, startPeer } from './peer.ts'
import { approved, credentialsIn, newJournal, realService } from './real-service.ts'

let service: TestService
let store: Store
const started = realService()
beforeAll(async () => {
  service = started()
  store = await service.database.openStore()
})
afterAll(() => store.close())

/** A listing whose publication can be read as an event. */
async function watchable(host: string) {
  const journal = newJournal()
  const client = newClient(service.url, { journalPath: journal })
  const { receipt } = await client.publish(approved(host))
  await allLogged(store)
  return { journal, client, receipt }
}
const lines = (stdout: string) =>
  stdout
    .trim()
    .split('\n')
    .map(each => JSON.parse(each))

/** What a service says of a submission whose listing has ended. */
const listingEnded = reply(200, {
  state: 'ended',
  events: [],
  nextCursor: '1-0-0',
  hasMore: false,
  chargeCreated: false,
})

describe('watch', () => {
  test('shows what happened so far, in words, and the command that continues', async () => {
    const { journal, receipt } = await watchable('watched.com')
    const { code, stdout, stderr } = await runHere(['watch', 'watched.com', '--once', '--journal', journal])
    expect(code).toBe(0)
    expect(stdout).toContain(`submission.published  passed_review  ${receipt.productUrl}\n  The listing is live.\n`)
    const [, cursor = ''] = /Next: placard-agent watch \S+ --cursor (\S+)/.exec(stderr) ?? []
    const rest = await runHere(['watch', '--once', '--cursor', cursor, '--journal', journal])
    expect([rest.code, rest.stdout]).toEqual([0, ''])
    for (const { secret = '' } of credentialsIn(journal)) expect(stdout + stderr).not.toContain(secret)
  })

  test('prints one line for each event, and ends with the listing', async () => {
    const { journal, client, receipt } = await watchable('watched-ending.com')
    service.clock.now = receipt.expiresAt ?? 0
    const { code, stdout } = await runHere(['watch', '--json', '--every', '1', '--journal', journal])
    expect(code).toBe(0)
    const events = lines(stdout)
    expect(events.map(({ type }) => type)).toEqual(['submission.published', 'submission.ends_soon', 'submission.ended'])
    expect((await client.events(undefined, { cursor: events[0].cursor })).events).toEqual(events.slice(1))
  })

  test('says once that the service fails, and once that it answers again', async () => {
    const journal = newJournalPath()
    const failing = refuse(503, 'review_unavailable')
    const peer = await startPeer(reply(201, RECEIPT), failing, failing, failing, listingEnded)
    await newClient(peer.url, { journalPath: journal }).publish(REQUEST)
    const { code, stderr } = await runHere(['watch', '--every', '1', '--wait', '0', '--journal', journal])
    expect([code, peer.arrivals.length]).toEqual([0, 5])
    expect(stderr.split('\n').slice(0, 4)).toEqual([
      expect.stringMatching(/^placard-agent: Refused with review_unavailable\./),
      'Asking again until it answers.',
      'placard-agent: The service answers again.',
      expect.stringMatching(/^Next: /),
    ])
  })

  test('says nothing of a failure that is over before the next turn', async () => {
    const journal = newJournalPath()
    const peer = await startPeer(reply(201, RECEIPT), refuse(503, 'review_unavailable'), listingEnded)
    await newClient(peer.url, { journalPath: journal }).publish(REQUEST)
    const { code, stderr } = await runHere(['watch', '--journal', journal])
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^Next: /)])
  })

  test('says that the service does not know a submission, and that a cursor is wrong', async () => {
    const { journal, client } = await watchable('watched-wrong.com')
    expect(await errorOf(client.events(undefined, { cursor: 'x' }))).toMatchObject({ code: 'invalid_cursor' })
    const other = await runHere(['watch', 'nowhere.com', '--once', '--journal', journal])
    expect([other.code, other.stderr]).toEqual([2, expect.stringContaining('unknown_submission')])
  })

  test('ends on Ctrl-C with the command that continues', { tags: ['programs'] }, async () => {
    const { journal } = await watchable('watched-stopped.com')
    const { child, ended } = startCli(['watch', '--journal', journal], {})
    child.stdout.once('data', () => child.kill('SIGINT'))
    const { code, stderr } = await ended
    expect([code, stderr]).toEqual([0, expect.stringMatching(/Next: .* watch \S+ --cursor \d+-\d+-\d/)])
  })

  test('ends once its output is not read any more', { tags: ['programs'] }, async () => {
    const { journal } = await watchable('watched-unread.com')
    const watching = run('client/src/cli.ts', ['watch', '--journal', journal], {})
    watching.child.stdout?.destroy()
    expect([await watching.ended, watching.output()]).toEqual([0, ''])
  })

  test('pauses if a cache repeats a page', { tags: ['programs'] }, async () => {
    const journal = newJournalPath()
    const page = { state: 'published', events: [], nextCursor: '1-0-0', hasMore: true, chargeCreated: false }
    const peer = await startPeer(reply(201, RECEIPT), reply(200, page), reply(200, page), listingEnded)
    await newClient(peer.url, { journalPath: journal }).publish(REQUEST)
    const { child, ended } = startCli(['watch', '--every', '3600', '--journal', journal])
    await expect.poll(() => peer.arrivals.length).toBe(3)
    child.kill('SIGINT')
    expect((await ended).stderr).toContain('--cursor 1-0-0')
    expect(peer.arrivals).toHaveLength(3)
  })

  test('pauses between two requests, also if the site names a wait of more than 24 days', {
    tags: ['programs'],
  }, async () => {
    const journal = newJournalPath()
    const month = refuse(429, 'rate_limited', {}, { 'retry-after': `${30 * 24 * 60 * 60}` })
    const peer = await startPeer(reply(201, RECEIPT), month)
    await newClient(peer.url, { journalPath: journal }).publish(REQUEST)
    const tooLong = await runHere(['watch', '--every', `${30 * 24 * 60 * 60}`, '--journal', journal])
    expect([tooLong.code, tooLong.stderr]).toEqual([
      2,
      expect.stringContaining('--every needs a whole number of seconds, a'),
    ])
    const { child, ended } = startCli(['watch', '--journal', journal])
    child.stderr.once('data', () => child.kill('SIGINT'))
    const { code, stderr } = await ended
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining('TimeoutOverflowWarning') })
    expect(peer.arrivals).toHaveLength(2)
  })
})
