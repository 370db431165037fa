// @module-tag programs
import { once } from 'node:events'
import { closeSync, existsSync, openSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { run } from '../../server/test/support/process.ts'
import {
  acceptOneKey,
  CATEGORY,
  credentialsOf,
  DESTINATION,
  journalLines,
  newJournalPath,
  PRIVATE_PART,
  RECEIPT,
  runCli,
  runHere,
  startCli,
} from './fixtures.ts'
import { hangUp, refuse, reply, startPeer, stayMute } from './peer.ts'
import { CAPABILITIES, QUOTE } from './replies.ts'

const publishArgs = (service: string, journal: string, ...more: string[]) => [
  ...['publish', DESTINATION, '--category', CATEGORY, '--user-approved'],
  ...['--service', service, '--journal', journal, ...more],
]

const accept = reply(201, RECEIPT)

// A start takes more CPU than all else of a test, so what is not about a process runs in this one.

describe('placard-agent publish', () => {
  test.each([
    ['to a person', runCli, []],
    ['to a program', runHere, ['--json']],
  ])('prints the receipt without its private link or secret, %s', async (_to, run, flags) => {
    const journal = newJournalPath()
    const peer = await startPeer(hangUp, accept)
    const { code, stdout, stderr } = await run(publishArgs(peer.url, journal, ...flags))
    expect(code).toBe(0)
    expect(stdout).toContain(RECEIPT.productUrl)
    expect(stdout + stderr).not.toContain(PRIVATE_PART)
    expect(stdout + stderr).not.toContain(peer.arrivals[0]?.headers['x-submission-secret'])
    expect(stderr).toEqual(flags.length > 0 ? '' : expect.stringContaining('Retrying in'))
  })

  test('killed between the journal and the answer, and run again, sends the same and gets the receipt', async () => {
    const journal = newJournalPath()
    const peer = await startPeer(stayMute, accept)
    const first = startCli(publishArgs(peer.url, journal))
    while (peer.arrivals.length === 0) await new Promise(setImmediate)
    first.child.kill('SIGKILL')
    await first.ended
    expect(journalLines(journal)).toHaveLength(1)
    const second = await runCli(publishArgs(peer.url, journal))
    expect(second).toMatchObject({ code: 0, stdout: expect.stringContaining(RECEIPT.productUrl) })
    const [before, after] = peer.arrivals.map(credentialsOf)
    expect(after).toEqual(before)
  })

  test('in several processes at once publishes one destination with one key', async () => {
    const journal = newJournalPath()
    const peer = await startPeer(acceptOneKey())
    const runs = await Promise.all(Array.from({ length: 6 }, () => runCli(publishArgs(peer.url, journal))))
    expect(runs.map(run => run.code)).toEqual([0, 0, 0, 0, 0, 0])
    expect(new Set(peer.arrivals.map(arrival => JSON.stringify(credentialsOf(arrival)))).size).toBe(1)
  })

  test('without --user-approved says to ask the customer first', async () => {
    const peer = await startPeer(accept)
    const args = publishArgs(peer.url, newJournalPath()).filter(arg => arg !== '--user-approved')
    const { code, stderr } = await runHere(args)
    expect(code).toBe(2)
    expect(stderr).toContain('Ask the customer first')
    for (const fact of [DESTINATION, `"${CATEGORY}"`, peer.url, `${peer.url}/rules`]) expect(stderr).toContain(fact)
    // A person must act first.
    expect(stderr).not.toContain('Next:')
    expect(peer.arrivals).toHaveLength(0)
  })

  test('refused exits with 1 and says why', async () => {
    const peer = await startPeer(refuse(422, 'review_rejected', { reason: 'parked_domain' }))
    const { code, stdout, stderr } = await runCli(publishArgs(peer.url, newJournalPath()))
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain('422 review_rejected parked_domain')
    expect(stderr).toContain('looks parked')
    expect(stderr.trim().split('\n').length).toBeLessThanOrEqual(3)
  })

  test('told to retry later exits with 3 and says when', async () => {
    const journal = newJournalPath()
    const peer = await startPeer(refuse(429, 'quota_host', {}, { 'retry-after': '5000' }))
    const { code, stderr } = await runCli(publishArgs(peer.url, journal, '--json'))
    expect(code).toBe(3)
    expect(JSON.parse(stderr)).toMatchObject({
      code: 'quota_host',
      status: 429,
      retryAfterSeconds: 5000,
      keepCredentials: true,
      whatNext: expect.stringContaining(journal),
      next: expect.stringMatching(/^placard-agent publish /),
    })
  })

  test('without a reply, and told not to wait, exits with 3', async () => {
    const peer = await startPeer(hangUp)
    const { code, stderr } = await runHere(publishArgs(peer.url, newJournalPath(), '--wait', '0'))
    expect(code).toBe(3)
    expect(stderr).toContain('Repeat the same publish later')
  })

  test('takes service and journal from the environment', async () => {
    const journal = newJournalPath()
    const peer = await startPeer(accept)
    const env = { PLACARD_SERVICE: peer.url, PLACARD_JOURNAL: journal }
    const { code } = await runCli(['publish', DESTINATION, '--category', CATEGORY, '--user-approved'], env)
    expect(code).toBe(0)
    expect(journalLines(journal)).toHaveLength(2)
  })

  test('does not let the service draw on the terminal', async () => {
    const peer = await startPeer(reply(201, { ...RECEIPT, notice: 'red \u001b[31m and \u202e back' }))
    const { stdout } = await runHere(publishArgs(peer.url, newJournalPath()))
    expect(stdout).toContain('red  [31m and   back')
  })
})

describe('placard-agent', () => {
  test('capabilities shows the window and the categories', async () => {
    const peer = await startPeer(reply(200, CAPABILITIES))
    const { code, stdout } = await runHere(['capabilities', '--service', peer.url])
    expect(code).toBe(0)
    expect(stdout).toContain('open until 2026-12-31 23:59 UTC')
    expect(stdout).toContain('Developer Tools')
    expect(stdout).toContain('Games  (Spiele)')
    const asJson = await runHere(['capabilities', '--service', peer.url, '--json'])
    expect(JSON.parse(asJson.stdout)).toEqual(CAPABILITIES)
  })

  const quoteArgs = (service: string, ...more: string[]) => [
    ...['quote', DESTINATION, '--category', CATEGORY, '--board', 'today', '--target', '25'],
    ...['--service', service, ...more],
  ]

  test('quote shows the price, what it is for, until when it holds, and that a person must confirm it', async () => {
    const peer = await startPeer(reply(200, QUOTE))
    const { code, stdout } = await runHere(quoteArgs(peer.url))
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: [
        `20.50 USD would bring ${DESTINATION} to 25.00 USD on the board "today".`,
        '',
        'Estimated rank  3 (not reserved)',
        'Price holds     until 2026-09-06 12:05 UTC; the link shows the current price',
        '',
        'Nothing was charged or reserved. To pay, a person must open this link in a browser and confirm:',
        QUOTE.handoffUrl,
        '',
      ].join('\n'),
    })
    expect(JSON.parse(peer.arrivals[0]?.body ?? '')).toEqual({
      destination: DESTINATION,
      category: CATEGORY,
      board: 'today',
      targetBid: 25,
    })
    expect(peer.arrivals).toHaveLength(1)
  })

  test('quote says nothing about a rank that the service does not estimate', async () => {
    const { estimatedRank: _, ...quote } = QUOTE
    const peer = await startPeer(reply(200, quote))
    const { stdout } = await runHere(quoteArgs(peer.url))
    expect(stdout).not.toContain('rank')
    expect(stdout).toContain(QUOTE.handoffUrl)
  })

  test('quote gives the reply of the service to programs', async () => {
    const peer = await startPeer(reply(200, QUOTE))
    const { code, stdout, stderr } = await runHere(quoteArgs(peer.url, '--json'))
    expect([code, JSON.parse(stdout), stderr]).toEqual([0, QUOTE, ''])
  })

  test('help and version need no service', async () => {
    expect(await runHere([])).toMatchObject({ code: 0, stdout: expect.stringContaining('Exit codes') })
    expect(await runHere(['publish', '--help'])).toMatchObject({ code: 0 })
    expect(await runHere(['help', 'help'])).toEqual(await runHere(['help']))
    expect(await runHere(['--version'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+(-dev)?\n$/),
    })
  })

  const mistakes: [string, string[]][] = [
    ['There is no command "constructor". The commands are', ['constructor']],
    ['has no option --target', ['capabilities', '--target', '5']],
    [
      '--category needs a value. Write one that begins with a dash as --category=VALUE. (usage)',
      ['capabilities', '--category', '--target'],
    ],
    ['There is no option --frobnicate. (usage)', ['capabilities', '--frobnicate']],
    [
      '--category is given twice. (usage)',
      ['publish', 'https://a.example.org', '--category', 'Games', '--category=Design', '--user-approved'],
    ],
    ['--wait is given twice. (usage)', ['resume', '--wait', '5', '--wait', '5']],
    ['No service given', ['capabilities']],
    ['must begin with https://', ['capabilities', '--service', 'http://placard.example.org']],
    ['Name the destination', ['publish', '--category', 'Games', '--service', 'https://placard.example.org']],
    ['Name a --category', ['publish', 'https://a.example.org', '--service', 'https://placard.example.org']],
    ['--target needs', ['quote', 'https://a.example.org', '--category', 'Games', '--board', 'all', '--target', '5.5']],
    ['all or today', ['quote', 'https://a.example.org', '--category', 'Games', '--board', 'week', '--target', '5']],
    ['too many arguments', ['publish', 'https://a.example.org', 'b']],
  ]
  test.each(mistakes)('used wrongly says %j and exits with 2', async (message, args) => {
    const { code, stdout, stderr } = await runHere(args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(message)
    expect(stderr.trim().split('\n').length).toBeLessThanOrEqual(3)
  })

  test('takes a flag that is given twice, which says the same', async () => {
    expect(await runHere(['--version', '--json', '--json'])).toMatchObject({ code: 0, stderr: '' })
  })

  test('on an old Node says so in one line', async () => {
    const pretend = `Object.defineProperty(process, 'versions', { value: { node: '20.19.0' } })`
    const { code, stderr } = await runCli(['capabilities'], {}, [
      '--import',
      `data:text/javascript,${encodeURIComponent(pretend)}`,
    ])
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'placard-agent needs Node.js 22 or newer, but this is 20.19.0. Install a newer Node.js.\n',
    })
  })

  test('interrupted while it waits leaves its journal', async () => {
    const journal = newJournalPath()
    const peer = await startPeer(refuse(503, 'review_unavailable', {}, { 'retry-after': '60' }))
    const { child, ended } = startCli(publishArgs(peer.url, journal))
    await once(child.stderr, 'data')
    child.kill('SIGINT')
    expect((await ended).code).toBeNull()
    expect(journalLines(journal)).toHaveLength(1)
  })
})

describe('placard-agent whose output', () => {
  const help = (stdout?: number) => run('client/src/cli.ts', ['help'], {}, stdout === undefined ? {} : { stdout })

  test('is not read to the end, as by `head`, ends quietly', async () => {
    const closed = help()
    closed.child.stdout?.destroy()
    expect([await closed.ended, closed.output()]).toEqual([0, ''])
  })

  test.skipIf(!existsSync('/dev/full'))('does not fit on the disk says so: exit 3', async () => {
    const full = openSync('/dev/full', 'w')
    const lost = help(full)
    expect(await lost.ended).toBe(3)
    expect(lost.output()).toMatch(/^placard-agent: The output could not be written: ENOSPC.+ Run [^\n]+\n$/)
    closeSync(full)
  })
})
