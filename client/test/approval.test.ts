import { EXAMPLES } from '@placard/contract'
import { describe, expect, test } from 'vitest'
import { CATEGORY, DESTINATION, journalLines, newJournalPath, RECEIPT, runHere } from './fixtures.ts'
import { refuse, reply, type Step, startPeer } from './peer.ts'

const accept = reply(201, RECEIPT)
const args = (service: string, journal: string, ...more: string[]) => [
  ...['publish', DESTINATION, '--category', CATEGORY, '--service', service, '--journal', journal, ...more],
]

describe('at a terminal, a publish', () => {
  test('names what will be public and where, and waits for a yes, which the journal keeps', async () => {
    const journal = newJournalPath()
    const peer = await startPeer(accept)
    const { code, stderr } = await runHere(args(peer.url, journal, '--approved-by', 'Ada'), {
      terminal: true,
      typed: 'yes\n',
    })
    expect(code).toBe(0)
    expect(stderr).toContain(
      [
        'This publishes a free listing on a public site:',
        '',
        `  Destination  ${DESTINATION}`,
        `  Category     ${CATEGORY}`,
        `  Site         ${peer.url} (public, for 60 days)`,
        `  Terms        ${peer.url}/rules`,
        '',
        'Only the customer may say yes. Type yes to publish: ',
      ].join('\n'),
    )
    expect(journalLines(journal)[0]).toMatchObject({
      at: expect.stringMatching(/^\d{4}-/),
      approval: { how: 'asked in the terminal', by: 'Ada' },
    })
  })

  test.each(['no\n', '\n', 'maybe yes\n', ''])('is not sent after %j', async typed => {
    const journal = newJournalPath()
    const peer = await startPeer(accept)
    const { code, stderr } = await runHere(args(peer.url, journal), { terminal: true, typed })
    expect(code).toBe(2)
    expect(stderr).toContain('Nothing was published. (declined)')
    // At the end of the input, no line that the person ended precedes the answer.
    expect(stderr.includes('to publish: \n')).toBe(typed === '')
    expect(peer.arrivals).toEqual([])
    expect(() => journalLines(journal)).toThrow('ENOENT')
  })

  test('is not asked about again when it is repeated', async () => {
    const journal = newJournalPath()
    const peer = await startPeer(refuse(429, 'quota_ip', {}, { 'retry-after': '9999' }), accept, reply(200, RECEIPT))
    expect((await runHere(args(peer.url, journal), { terminal: true, typed: 'y\n' })).code).toBe(3)
    for (const terminal of [true, false]) {
      const { code, stderr } = await runHere(args(peer.url, journal), { terminal })
      expect([code, stderr.includes('Type yes')]).toEqual([0, false])
    }
  })

  test('is asked about again after a refusal, since that would be a new submission', async () => {
    const journal = newJournalPath()
    const peer = await startPeer(refuse(422, 'review_rejected'), accept)
    await runHere(args(peer.url, journal), { terminal: true, typed: 'y\n' })
    expect((await runHere(args(peer.url, journal), { terminal: true, typed: 'no\n' })).code).toBe(2)
    expect(peer.arrivals).toHaveLength(1)
  })

  test('in another category than before is not asked about', async () => {
    const journal = newJournalPath()
    const peer = await startPeer(accept)
    await runHere(args(peer.url, journal, '--user-approved'))
    const given = args(peer.url, journal).map(word => (word === CATEGORY ? 'Games' : word))
    const { code, stderr } = await runHere(given, { terminal: true, typed: 'yes\n' })
    expect([code, stderr]).toEqual([2, expect.stringContaining('placard-agent: This destination was published under')])
  })

  test('with a misspelt category is not asked about', async () => {
    const given = args('https://placard.dev', newJournalPath()).map(word => (word === CATEGORY ? 'gmaes' : word))
    const { code, stderr } = await runHere(given, { terminal: true, typed: 'yes\n' })
    expect(code).toBe(2)
    expect(stderr).not.toContain('Type yes')
    expect(stderr).toMatch(/Next:.* placard-agent publish .* --category Games /)
  })
})

test('--user-approved asks nothing and is kept in the journal', async () => {
  const journal = newJournalPath()
  const peer = await startPeer(accept)
  const { code, stderr } = await runHere(args(peer.url, journal, '--user-approved'), { terminal: true })
  expect([code, stderr.includes('Type yes')]).toEqual([0, false])
  expect(journalLines(journal)[0]).toMatchObject({ approval: { how: '--user-approved' } })
})

describe('--ask-as, without a terminal', () => {
  const asked = (status: string) => ({ ...EXAMPLES.approval.example, status, code: 'vT1zQf8Xk2mL0pRb7cYd9A' })

  test('prints an address, waits for the answer there, and publishes with it', async () => {
    const journal = newJournalPath()
    const peer = await startPeer(
      reply(201, asked('waiting')),
      reply(200, asked('approved')),
      reply(201, { ...RECEIPT, approval: 'browser' }),
    )
    const { code, stderr } = await runHere(args(peer.url, journal, '--ask-as', 'Mara’s assistant'))
    expect([code, stderr]).toEqual([0, expect.stringContaining(`\n${asked('').approvalUrl}\n`)])
    const [question, wait, sent] = peer.arrivals
    expect(JSON.parse(question?.body ?? '')).toEqual({
      ...{ destination: DESTINATION, category: CATEGORY, agent: 'Mara’s assistant' },
    })
    expect([wait?.path, wait?.headers.prefer]).toEqual([`/api/v1/agent/approvals/${asked('').code}`, 'wait=25'])
    expect(JSON.parse(sent?.body ?? '').approval).toMatchObject({ userApproved: true, approvalCode: asked('').code })
    expect(journalLines(journal)[0]).toMatchObject({ approval: { how: 'approved in a browser' } })
  })

  test('waits on through a limit, and for two seconds if it is answered at once', async () => {
    const times: number[] = []
    const timed =
      (step: Step): Step =>
      (...args) => {
        times.push(performance.now())
        return step(...args)
      }
    const peer = await startPeer(
      reply(201, asked('waiting')),
      timed(reply(200, asked('waiting'))),
      timed(refuse(429, 'rate_limited', {}, { 'retry-after': '1' })),
      timed(reply(200, asked('approved'))),
      reply(201, { ...RECEIPT, approval: 'browser' }),
    )
    const { code } = await runHere(args(peer.url, newJournalPath(), '--ask-as', 'Mara’s assistant', '--wait', '0'))
    expect([code, times.length]).toEqual([0, 3])
    // Less than twice, because the first question may have been long under way.
    expect(Number(times[2]) - Number(times[0])).toBeGreaterThan(2000)
  })

  test.each([
    ['declined', 'declined'],
    ['expired', 'approval_required'],
  ])('publishes nothing if the request is %s', async (status, error) => {
    const journal = newJournalPath()
    const peer = await startPeer(reply(201, asked('waiting')), reply(200, asked(status)))
    const { code, stderr } = await runHere(args(peer.url, journal, '--ask-as', 'Mara’s assistant'))
    expect([code, stderr]).toEqual([2, expect.stringContaining(`(${error})`)])
    expect(peer.arrivals).toHaveLength(2)
    expect(() => journalLines(journal)).toThrow('ENOENT')
  })
})
