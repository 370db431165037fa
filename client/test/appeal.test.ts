import { DECISION_HEADER } from '@placard/contract'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { CONTEST_DAYS } from '../../server/src/platform/db/tables/decisions.ts'
import { daysMs } from '../../server/src/platform/lib/time.ts'
import { operateHere } from '../../server/test/support/operate.ts'
import type { TestService } from '../../server/test/support/service.ts'
import { goodPage, sendHtml } from '../../server/test/support/sites.ts'
import { PlacardClient } from '../src/client.ts'
import { fileStore } from '../src/file-store/index.ts'
import type { JournalRecord } from '../src/submissions/record.ts'
import { memoryStore } from '../src/submissions/store.ts'
import { errorOf, journalLines, newClient, runHere, startCli } from './fixtures.ts'
import { type Step, startPeer, stayMute } from './peer.ts'
import { approved, credentialsIn, newJournal, realService } from './real-service.ts'

const PARKED = '<!doctype html><title>This domain is for sale</title><p>Buy this domain now.</p>'
const UNKNOWN = '01991f3e-5c00-7a3b-9d51-3f2f8c6c2b10'

let service: TestService
const started = realService()
beforeAll(() => {
  service = started()
})
beforeEach(() => {
  // The operator's command uses the real time, so the service does too.
  service.clock.now = Date.now()
})

const placard = (...args: string[]) => operateHere(service.database.env, ...args)
const yes = (statement: string, decision?: string) => ({
  statement,
  userApproved: true,
  ...(decision !== undefined && { decision }),
})

/** A website that looks parked, refused. */
async function refused(host: string, journalPath = newJournal()) {
  service.sites.set(host, (_request, response) => sendHtml(response, PARKED))
  const client = newClient(service.url, { journalPath })
  const error = await errorOf(client.publish(approved(host)))
  return { client, error, journalPath, id: error.decisionId ?? '' }
}

/** A listing that an operator took down. */
async function hidden(host: string) {
  const journalPath = newJournal()
  const client = newClient(service.url, { journalPath })
  const { receipt } = await client.publish(approved(host))
  const slug = receipt.productUrl.split('/').at(-1) ?? ''
  await placard('hide', slug, '--reason', 'It sells <b>weapons</b>.', '--as', 'anna')
  return { client, journalPath, receipt, slug }
}

/** Passes a request on to the real service. */
const through: Step = async (response, { method, path, headers, body }) => {
  const { host: _, connection: __, 'content-length': ___, 'transfer-encoding': ____, ...kept } = headers
  const answer = await fetch(service.url + path, {
    method,
    headers: kept as Record<string, string>,
    ...(method === 'POST' && { body }),
  })
  response.writeHead(answer.status, {
    'content-type': 'application/json',
    [DECISION_HEADER]: answer.headers.get(DECISION_HEADER) ?? '',
  })
  response.end(await answer.text())
}
/** The same, but the answer is never heard. */
const throughInVain: Step = async (response, arrival) => {
  await through({ writeHead: () => {}, end: () => {} } as unknown as typeof response, arrival)
  await stayMute(response, arrival)
}

describe('a refusal', () => {
  test('names its decision, which is kept, and its reasons can be read days later', async () => {
    const { error, journalPath, id } = await refused('parked.com')
    expect(error).toMatchObject({ status: 422, decisionId: expect.stringMatching(/^[0-9a-f-]{36}$/) })
    expect(error.whatNext).toContain(id)
    const later = newClient(service.url, { journalPath })
    expect(await later.list()).toMatchObject([{ state: 'refused', decisionId: id }])
    for (const which of ['www.parked.com', id, id.toUpperCase(), undefined]) {
      expect(await later.decision(which)).toMatchObject({
        id,
        kind: 'refuse',
        reason: 'parked_domain',
        decidedBy: 'automatic',
        contest: { isPossible: true },
      })
    }
  })

  test('whose answer came, but was never written, is returned again with its decision', async () => {
    service.sites.set('unwritten.com', (_request, response) => sendHtml(response, PARKED))
    const store = memoryStore()
    const append = (record: JournalRecord) =>
      record.type === 'outcome' ? Promise.reject(new Error('killed')) : store.append(record)
    const dying = new PlacardClient({ service: service.url, store: { ...store, append } })
    const { decisionId } = await errorOf(dying.publish(approved('unwritten.com')))
    const client = new PlacardClient({ service: service.url, store })
    // Not known to be refused: nothing is sent for a question.
    expect((await errorOf(client.decision())).code).toBe('no_decision')
    expect(await errorOf(client.status())).toMatchObject({ code: 'review_rejected', decisionId })
    expect(await client.decision()).toMatchObject({ id: decisionId })
  })

  test('that is reversed lets the next publish send the same submission, and no other', async () => {
    const { client, journalPath, id } = await refused('reversed.com')
    await client.appeal(yes('It is a shop.'))
    await placard('decide-appeal', id, 'reverse', '--as', 'bob', '--reason', 'So it is.')
    // Until somebody asks, it is over.
    expect(await client.list()).toMatchObject([{ state: 'refused' }])
    expect((await client.decision()).appeal?.outcome).toMatchObject({
      result: 'reversed',
      explanation: 'So it is.',
    })
    expect(await client.list()).toMatchObject([{ state: 'unknown', reopened: true, decisionId: id }])
    const { receipt, replayed } = await client.publish(approved('reversed.com'))
    expect([receipt.status, replayed]).toEqual(['published', false])
    expect(credentialsIn(journalPath)).toHaveLength(1)
    expect(await client.list()).toMatchObject([{ state: 'accepted' }])
    expect((await client.status()).decisionId).toBeUndefined()
    // The old one is still told, and opens nothing again.
    expect(await client.decision(id)).toMatchObject({ kind: 'refuse' })
    expect(await client.list()).toMatchObject([{ state: 'accepted' }])
  })

  test('that is reversed may be refused again for something else, with a decision of its own', async () => {
    const { client, id } = await refused('worse.com')
    await client.appeal(yes('It is a shop.'))
    await placard('decide-appeal', id, 'reverse', '--reason', 'So it is.')
    await client.decision()
    service.sites.set('worse.com', (_request, response) => response.writeHead(404).end())
    const [{ error } = {}] = await client.resume()
    expect(error).toMatchObject({ reason: 'not_found', decisionId: expect.not.stringMatching(id) })
    await client.decision(id)
    expect(await client.list()).toMatchObject([{ state: 'refused', decisionId: error?.decisionId }])
    service.sites.set('worse.com', goodPage)
    expect((await client.publish(approved('worse.com'))).replayed).toBe(false)
  })
})

describe('an appeal', () => {
  test('arrives once, with the person’s yes kept beside it', async () => {
    const { client, journalPath, id } = await refused('contested.com')
    const decision = await client.appeal({
      ...yes('The shop is ours. 😀'),
      approval: { how: 'chat', by: 'Ada' },
    })
    expect(decision).toMatchObject({ id, appeal: { statement: 'The shop is ours. 😀' } })
    // The second answer may have a log index, which a decision gets a moment after it was taken.
    expect(await client.appeal(yes('The shop is ours. 😀', id))).toMatchObject(decision)
    expect(await client.list()).toMatchObject([
      {
        appeal: {
          state: 'received',
          approval: { how: 'chat', by: 'Ada' },
          statement: 'The shop is ours. 😀',
        },
      },
    ])
    const other = await errorOf(client.appeal(yes('Something else.')))
    expect(other).toMatchObject({ kind: 'refused', status: 409, code: 'already_appealed' })
    // What arrived is what counts.
    expect(await client.list()).toMatchObject([{ appeal: { state: 'received' } }])
    expect((await placard('appeals')).output.match(/contested\.com/g)).toHaveLength(1)
    expect(journalLines(journalPath).every(({ code }) => code !== 'already_appealed')).toBe(true)
  })

  test('without approval, or that no service accepts, is not sent', async () => {
    const { client, journalPath } = await refused('unsent.com')
    const [{ secret = '' } = {}] = credentialsIn(journalPath)
    for (const [request, code] of [
      [{ ...yes('x'), userApproved: false }, 'approval_required'],
      [yes('x'.repeat(1001)), 'invalid_statement'],
      [yes(' \u202e\n'), 'invalid_statement'],
      [yes('see /manage/1#owner=abc'), 'invalid_statement'],
      [yes(`my secret is ${secret.toUpperCase()}`), 'invalid_statement'],
    ] as const) {
      const error = await errorOf(client.appeal(request))
      expect(error).toMatchObject({ kind: 'usage', code })
      expect(JSON.stringify(error)).not.toContain(secret)
    }
    expect((await client.decision()).appeal).toBeUndefined()
    expect(journalLines(journalPath)).toHaveLength(2)
  })

  test('against an unknown, too old or foreign decision says so', async () => {
    const mine = await refused('mine.com')
    const theirs = await refused('theirs.com')
    for (const id of [UNKNOWN, theirs.id]) {
      for (const error of [
        await errorOf(mine.client.decision(id)),
        await errorOf(mine.client.appeal(yes('No.', id))),
      ]) {
        expect(error).toMatchObject({ kind: 'refused', status: 404, code: 'not_found' })
        expect(error.whatNext).toContain('another journal')
      }
    }
    service.clock.now += daysMs(CONTEST_DAYS)
    const late = await errorOf(mine.client.appeal(yes('Late.')))
    expect(late).toMatchObject({ kind: 'refused', code: 'not_contestable' })
    expect(late.whatNext).toContain('The time for an appeal ended')
    expect(await mine.client.list()).not.toMatchObject([{ appeal: expect.anything() }])
  })

  test('whose answer was lost when the process was killed is sent again as it was, and counts once', {
    tags: ['programs'],
  }, async () => {
    const journal = newJournal()
    const peer = await startPeer(through, through, through, throughInVain, through)
    service.sites.set('killed-appeal.com', (_request, response) => sendHtml(response, PARKED))
    const error = await errorOf(newClient(peer.url, { journalPath: journal }).publish(approved('killed-appeal.com')))
    const args = ['appeal', 'killed-appeal.com', '--journal', journal]
    const first = startCli([...args, '--statement', 'It is a shop.', '--user-approved'])
    await expect.poll(() => peer.arrivals.length).toBe(4)
    await expect.poll(async () => (await placard('appeals')).output).toContain('killed-appeal.com')
    first.child.kill('SIGKILL')
    await first.ended
    const listed = await runHere(['list', '--journal', journal])
    expect(listed.stdout).toContain('appeal started but not confirmed')

    // Days later, the person has the text no more, and is not asked again.
    const again = await runHere(args)
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('The appeal is sent.')])
    expect((await placard('appeals')).output.match(/killed-appeal\.com/g)).toHaveLength(1)
    expect(await newClient(peer.url, { journalPath: journal }).list()).toMatchObject([
      { decisionId: error.decisionId, appeal: { state: 'received', approval: { how: '--user-approved' } } },
    ])
    const { secret = '' } = credentialsIn(journal)[0] ?? {}
    expect(listed.stdout + again.stdout + again.stderr).not.toContain(secret)
  })

  test('that the service cannot take now is kept, and may be repeated', async () => {
    const { journalPath, id } = await refused('unreachable.com')
    const store = fileStore(journalPath)
    const deaf = new PlacardClient({
      service: service.url,
      store,
      waitBudgetMs: 0,
      fetch: (url, init) =>
        init.method === 'POST' ? Promise.reject(new Error('gone')) : fetch(url, init as RequestInit),
    })
    const error = await errorOf(deaf.appeal(yes('It is a shop.', id)))
    expect(error).toMatchObject({ kind: 'unknown', code: 'network_error' })
    expect(error.whatNext).toContain('it counts once')
    const client = newClient(service.url, { journalPath })
    expect(await client.list()).toMatchObject([{ state: 'refused', appeal: { state: 'unknown' } }])
    expect((await client.appeal(yes('It is a shop.'))).appeal).toBeDefined()
  })

  test('that cannot be kept is not sent', async () => {
    const { journalPath, id } = await refused('full-disk.com')
    const store = fileStore(journalPath)
    const append = () => Promise.reject(new Error('no space'))
    const client = new PlacardClient({ service: service.url, store: { ...store, append } })
    expect(await errorOf(client.appeal(yes('It is a shop.')))).toMatchObject({ code: 'journal_unusable' })
    expect((await client.decision(id)).appeal).toBeUndefined()
  })
})

test('an answer about another decision is not believed', async () => {
  const { journalPath, id } = await refused('another.com')
  const other = async (url: string, init: object) => {
    const response = await fetch(url, init)
    return Response.json({ ...(await response.json()), id: `../${UNKNOWN}` })
  }
  const client = newClient(service.url, { journalPath, fetch: other, waitBudgetMs: 0 })
  for (const call of [() => client.decision(id), () => client.appeal(yes('It is a shop.'))])
    expect(await errorOf(call())).toMatchObject({ kind: 'unknown', code: 'invalid_response' })
  expect((await newClient(service.url, { journalPath }).decision()).appeal).toBeUndefined()
})

describe('a hidden listing', () => {
  test('tells its decision with its status, and is contested by its website', async () => {
    const { client, journalPath, receipt, slug } = await hidden('hidden.com')
    const status = await client.status()
    expect(status).toMatchObject({ state: 'accepted', receipt: { status: 'unavailable' } })
    expect(await client.publish(approved('hidden.com'))).toMatchObject({ decisionId: status.decisionId })
    expect(await client.decision()).toMatchObject({
      id: status.decisionId,
      kind: 'hide',
      decidedBy: 'operator',
    })
    const shown = await runHere(['status', '--journal', journalPath])
    expect(shown.stdout).toContain('The listing is unavailable.')
    expect(shown.stderr).toContain('Next: placard-agent decision http://hidden.com/')
    const decided = await runHere(['decision', 'hidden.com', '--journal', journalPath])
    expect([decided.code, decided.stdout]).toEqual([0, expect.stringContaining('It sells <b>weapons</b>.')])
    expect(decided.stdout).toContain('on the private page or with placard-agent appeal: say in at most')
    expect(decided.stderr).toMatch(/^Next: placard-agent appeal [0-9a-f-]{36} --statement /)

    await client.appeal(yes('We sell\nbread.'))
    expect(await client.status()).toMatchObject({
      appeal: { state: 'received', statement: 'We sell\nbread.' },
    })
    const { decisionId = '' } = status
    await placard('decide-appeal', decisionId, 'reverse', '--as', 'bob', '--reason', 'It is bread.')
    const restored = await client.status()
    expect([restored.receipt?.status, restored.decisionId]).toEqual(['published', undefined])

    // Another decision is another matter.
    await placard('hide', slug, '--reason', 'Again.', '--as', 'anna')
    const again = await client.status()
    expect(again).toMatchObject({ receipt: { requestId: receipt.requestId }, decisionId: expect.any(String) })
    expect([again.decisionId === decisionId, again.appeal]).toEqual([false, undefined])
    expect((await client.decision(decisionId)).appeal?.outcome?.result).toBe('reversed')
  })

  test('that its owner withdrew offers no appeal, because there is nothing to appeal', async () => {
    const journalPath = newJournal()
    const client = newClient(service.url, { journalPath })
    const { privateLink } = await client.publish(approved('withdrawn.com'))
    const [page = '', token] = privateLink?.reveal().split('#owner=') ?? []
    const post = (action: string, type: string, body: string, cookie = '') =>
      fetch(`${page}/${action}`, {
        method: 'POST',
        headers: { 'content-type': type, 'sec-fetch-site': 'same-origin', cookie },
        body,
        redirect: 'manual',
      })
    const visit = await post('session', 'application/json', JSON.stringify({ token }))
    const [cookie = ''] = visit.headers.get('set-cookie')?.split(';') ?? []
    await post('withdraw', 'application/x-www-form-urlencoded', 'confirm=yes', cookie)

    for (const command of ['status', 'list']) {
      const { stdout } = await runHere([command, '--journal', journalPath])
      expect(stdout).toContain('unavailable')
      expect(stdout).toContain('reasons  placard-agent decision http://withdrawn.com/')
      expect(stdout).not.toContain('appeal')
    }
    const decided = await runHere(['decision', '--journal', journalPath])
    expect(decided).toMatchObject({ stdout: expect.stringMatching(/There is nothing to appeal\.\n$/), stderr: '' })
  })
})

describe('the command', () => {
  const appeal = (journal: string, ...more: string[]) => ['appeal', '--journal', journal, ...more]

  test('shows the reasons for people and for programs', async () => {
    const { journalPath, id } = await refused('reasons.com')
    const { code, stdout, stderr } = await runHere(['decision', id, '--journal', journalPath])
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /^The website was not listed\..*\n\nDecision {5}[0-9a-f-]{36}\nTaken {8}\d{4}-.* UTC, automatically\n/,
    )
    for (const shown of ['About        reasons.com', 'parked_domain', 'rules/review', 'in at most 1,000 characters'])
      expect(stdout).toContain(shown)
    expect(stderr).toBe(`Next: placard-agent appeal ${id} --statement "WHY IT IS WRONG" --journal ${journalPath}\n`)
    const json = await runHere(['decision', '--journal', journalPath, '--json'])
    expect(JSON.parse(json.stdout)).toMatchObject({ id, contest: { isPossible: true } })
    const listed = await runHere(['list', '--journal', journalPath])
    expect(listed.stdout).toContain(`Decision ${id}`)
    expect(listed.stdout).toContain('placard-agent decision http://reasons.com/')
    const { secret = '' } = credentialsIn(journalPath)[0] ?? {}
    expect(stdout + stderr + json.stdout + listed.stdout).not.toContain(secret)
  })

  test('shows the statement and asks, and sends nothing without a yes', async () => {
    const { client, journalPath, id } = await refused('asked.com')
    const statement = ['--statement', 'It is\na shop.']
    const nobody = await runHere(appeal(journalPath, ...statement))
    expect([nobody.code, nobody.stderr]).toEqual([2, expect.stringContaining('(approval_required --user-approved)')])
    expect(nobody.stderr).toContain(
      `: appeal once, with the statement “It is a shop.”, the decision ${id} about asked.com at ${service.url}. (`,
    )
    const no = await runHere(appeal(journalPath, ...statement), { terminal: true, typed: 'no\n' })
    expect([no.code, no.stderr]).toEqual([2, expect.stringContaining('No appeal was sent. (declined)')])
    expect((await client.decision()).appeal).toBeUndefined()

    const by = ['--approved-by', 'Ada']
    const sent = await runHere(appeal(journalPath, ...statement, ...by), { terminal: true, typed: 'yes\n' })
    expect(sent.code).toBe(0)
    expect(sent.stderr).toContain(
      [
        'This appeals a decision, once, in your own words:',
        '',
        `  Decision   ${id} about asked.com`,
        `  Site       ${service.url} (the people who run it read your statement)`,
        '  Statement  It is a shop.',
        '',
        'Only the customer may say yes. Type yes to send it: ',
      ].join('\n'),
    )
    expect(await client.list()).toMatchObject([
      { appeal: { approval: { how: 'asked in the terminal', by: 'Ada' }, state: 'received' } },
    ])
    // A repeat of the same is not asked about again, and another statement is refused without a question.
    expect((await runHere(appeal(journalPath, ...statement))).code).toBe(0)
    const other = await runHere(appeal(journalPath, '--statement', 'Other.'))
    expect([other.code, other.stderr]).toEqual([1, expect.stringContaining('(already_appealed)')])
    expect(other.stderr).toContain('Next: placard-agent decision --')
    const shown = await runHere(['list', '--journal', journalPath])
    expect(shown.stdout).toContain(', appealed\n')
  })

  test('reads the statement from a pipe, where only --user-approved is a yes', async () => {
    const { client, journalPath } = await refused('piped.com')
    const args = appeal(journalPath, '--statement', '-')
    expect((await runHere(args, { typed: 'It is ours.\n' })).stderr).toContain('(approval_required --user-approved)')
    expect((await runHere(args, { typed: 'x'.repeat(2000) })).stderr).toContain('(invalid_statement statement)')
    expect((await runHere(args, { terminal: true, typed: 'yes\n' })).stderr).toContain('At a terminal')
    expect((await runHere(appeal(journalPath))).stderr).toContain('Add --statement')
    const sent = await runHere([...args, '--user-approved', '--json'], { typed: 'It is ours.\n' })
    expect(JSON.parse(sent.stdout)).toMatchObject({ appeal: { statement: 'It is ours.' } })
    expect((await client.list())[0]?.appeal?.statement).toBe('It is ours.')
  })

  test('knows which service and submission an id is about, among several', async () => {
    const journalPath = newJournal()
    const one = await refused('one.com', journalPath)
    await newClient(service.url, { journalPath }).publish(approved('three.com'))
    expect((await runHere(['decision', '--journal', journalPath])).stdout).toContain('About        one.com')
    expect(await one.client.decision()).toMatchObject({ id: one.id })
    await refused('two.com', journalPath)
    const { code, stdout } = await runHere(['decision', one.id, '--journal', journalPath])
    expect([code, stdout]).toEqual([0, expect.stringContaining('About        one.com')])
    expect((await runHere(['decision', '--journal', journalPath])).stderr).toContain('(which_submission')
    const unknown = await runHere(['decision', UNKNOWN, '--journal', journalPath])
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('Next: placard-agent list')])
    const none = await runHere(['decision', 'four.com', '--journal', journalPath])
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('(unknown_submission')])
    const nowhere = await runHere(['decision', UNKNOWN, '--journal', newJournal()])
    expect([nowhere.code, nowhere.stderr]).toEqual([2, expect.stringContaining('No service given.')])
  })
})
