import { ERRORS } from '@placard/contract'
import { describe, expect, test } from 'vitest'
import { progress } from '../src/command/progress.ts'
import { COMMANDS } from '../src/command/table.ts'
import { PlacardError } from '../src/error.ts'
import { CATEGORY, DESTINATION, newJournalPath, RECEIPT, runHere } from './fixtures.ts'
import { refuse, reply, startPeer } from './peer.ts'
import { CHECK } from './replies.ts'

const ESC = '\u001b'

describe('help', () => {
  test.each(COMMANDS.map(({ name }) => name))('tells all about %s, in both spellings', async name => {
    const { code, stdout } = await runHere(['help', name])
    expect(code).toBe(0)
    expect(await runHere([name, '--help'])).toMatchObject({ code: 0, stdout })
    expect(stdout).toMatch(new RegExp(`^placard-agent ${name}.*: .+\n\n`))
    expect(stdout).toContain('Example\n')
    expect(stdout).toContain('Exit codes\n')
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(100)
  })

  test('lists every command', async () => {
    const { stdout } = await runHere([])
    for (const { name, summary } of COMMANDS) expect(stdout).toMatch(new RegExp(`^  ${name}\\b.* ${summary}$`, 'm'))
  })

  test('lists as options of every command only those that each takes', async () => {
    const { stdout } = await runHere([])
    const everywhere = /^Every command\n((?: .*\n)+)/m.exec(stdout)?.[1]?.match(/--[\w-]+/g) ?? []
    expect(everywhere).toContain('--json')
    for (const { name } of COMMANDS) {
      for (const option of everywhere) expect((await runHere([name, option, '--help'])).code).toBe(0)
    }
  })

  test.each(COMMANDS)('gives an example that can be read: $example', async ({ example, options }) => {
    const words = [...example.matchAll(/"([^"$]*)"|([^\s"$()]+)/g)].map(([, quoted, word]) => quoted ?? word ?? '')
    const args = words.slice(words.indexOf('placard-agent') + 1)
    // Nothing is there to talk to, so what is wrong with an example is all that can be said of it.
    if (options.includes('wait')) args.push('--wait', '0')
    const { stderr } = await runHere(args, { env: { PLACARD_JOURNAL: '/dev/null' } })
    expect(stderr).not.toMatch(/no option|too many|There is no command|Name a/)
  })
})

test('the list contacts no service, so a wrong PLACARD_SERVICE is no matter', async () => {
  const env = { PLACARD_JOURNAL: newJournalPath(), PLACARD_SERVICE: 'shop.example' }
  const { code, stdout } = await runHere(['list'], { env })
  expect([code, stdout]).toEqual([0, expect.stringContaining('holds no submission')])
})

describe('colours', () => {
  const wrong = ['publish']
  test('are for terminals alone, and never with NO_COLOR', async () => {
    expect((await runHere(wrong, { terminal: true })).stderr).toContain(`${ESC}[31m`)
    expect((await runHere(wrong)).stderr).not.toContain(ESC)
    for (const env of [{ NO_COLOR: '1' }, { TERM: 'dumb' }]) {
      expect((await runHere(wrong, { terminal: true, env })).stderr).not.toContain(ESC)
    }
  })
})

describe('progress', () => {
  const error = new PlacardError({
    kind: 'unknown',
    code: 'review_unavailable',
    status: 503,
    error: 'Busy.',
    whatNext: '.',
  })
  const shown = (isTTY: boolean, columns?: number) => {
    const said: string[] = []
    const stderr = { isTTY, columns, write: (text: string) => said.push(text) }
    const waiting = progress({ env: {}, stdin: process.stdin, stdout: stderr, stderr })
    waiting.onRetry(error, 30_000, 90_000)
    waiting.stop()
    return said.join('')
  }

  test('says why, for how long, and how long before it gives up', () => {
    const reason = 'placard-agent: Busy. (503 review_unavailable)\n'
    const left = 'Retrying in 30 s; giving up 90 s after that.'
    expect(shown(false)).toBe(`${reason}${left}\n`)
    expect(shown(true)).toBe(`${reason}\r${ESC}[K${left}\r${ESC}[K`)
    expect(shown(true, 80)).toBe(shown(true))
    expect(shown(true, 40)).toBe(`${reason}\r${ESC}[K${left.slice(0, 39)}\r${ESC}[K`)
  })

  test('goes to stderr, and not with --json', async () => {
    const peer = await startPeer(refuse(503, 'review_unavailable', {}, { 'retry-after': '1' }), reply(201, RECEIPT))
    const args = ['publish', DESTINATION, '--category', CATEGORY, '--user-approved', '--service', peer.url]
    const { stdout, stderr } = await runHere([...args, '--journal', newJournalPath(), '--json'])
    expect([JSON.parse(stdout).productUrl, stderr]).toEqual([RECEIPT.productUrl, ''])
    expect(peer.arrivals).toHaveLength(2)
  })
})

test('--json writes nothing that a terminal obeys', async () => {
  const notice = 'a\u009b2Jb\u202ec\u{e0041}d\u007f'
  const peer = await startPeer(reply(201, { ...RECEIPT, notice }))
  const args = ['publish', DESTINATION, '--category', CATEGORY, '--user-approved', '--service', peer.url]
  const { stdout } = await runHere([...args, '--journal', newJournalPath(), '--json'])
  expect(stdout.trimEnd()).not.toMatch(/[\p{Cc}\p{Cf}]/u)
  expect(JSON.parse(stdout).notice).toBe(notice)
})

describe('check', () => {
  const words = [DESTINATION, '--category', CATEGORY]

  test.each([
    ['check', ...words],
    ['publish', ...words, '--dry-run'],
  ])('says what a publish would answer, and publishes nothing: %s', async (...args) => {
    const peer = await startPeer(reply(200, CHECK))
    const { code, stdout, stderr } = await runHere(args, {
      env: { PLACARD_SERVICE: peer.url, HOME: '/nowhere' },
    })
    expect(code).toBe(0)
    expect(stdout).toContain(`A publish of ${DESTINATION} would be accepted.`)
    expect(stdout).toContain('Title        A shop')
    expect(stderr).toContain(`Next: placard-agent publish ${DESTINATION} --category "${CATEGORY}"`)
    expect(peer.arrivals).toMatchObject([{ method: 'POST', path: '/api/v1/agent/check' }])
    expect(JSON.parse(peer.arrivals[0]?.body ?? '')).toEqual({ destination: DESTINATION, category: CATEGORY })
    expect(peer.arrivals[0]?.headers).not.toHaveProperty('x-submission-secret')
  })

  test('exits with 1 and says why if a publish would be refused', async () => {
    const publishReply = {
      status: 422,
      code: 'review_rejected',
      reason: 'empty_page',
      error: 'It shows nothing.',
    }
    const { listing: _, ...rest } = CHECK
    const peer = await startPeer(reply(200, { ...rest, wouldPublish: false, publishReply }))
    const { code, stdout } = await runHere(['check', ...words, '--service', peer.url])
    expect([code, stdout]).toEqual([
      1,
      expect.stringContaining('would be refused: It shows nothing. (422 review_rejected empty_page)'),
    ])
    expect(stdout).not.toContain('Title')
  })

  // What else names parts of a request is about parts that no option sets.
  const limits = Object.entries(ERRORS).filter(([, { error }]) => error.includes('retryAfterSeconds'))
  test.each(limits)('says when to try again after %s, without a name of the API', async (code, { status, error }) => {
    const more = { code, error, chargeCreated: false, retryAfterSeconds: 86_400 }
    const peer = await startPeer(
      reply(status, more),
      reply(200, { ...CHECK, wouldPublish: false, publishReply: { status, ...more, chargeCreated: undefined } }),
    )
    const [why = ''] = error.split(' Wait retryAfterSeconds')
    const failed = await runHere(['check', ...words, '--service', peer.url])
    expect([failed.code, failed.stderr]).toEqual([3, expect.stringMatching(/\nTry again after \d{4}-.* UTC\.\n/)])
    const { stdout } = await runHere(['check', ...words, '--service', peer.url])
    expect(stdout).toMatch(/^A publish would have to wait until \d{4}-.* UTC\.$/m)
    for (const said of [failed.stderr, stdout]) {
      expect(said).toContain(why)
      expect(said).not.toMatch(/retryAfterSeconds|key, secret and body/)
      expect(said.includes('Publishing has a separate limit.')).toBe(error.includes('separate limit'))
    }
  })

  test('says so of a service that has no check', async () => {
    const peer = await startPeer(refuse(404, 'not_found'))
    const { code, stderr } = await runHere(['check', ...words, '--service', peer.url])
    expect([code, stderr]).toEqual([1, expect.stringContaining('(404 not_found)')])
  })
})

test.each([
  [['publsh'], 'Did you mean publish?'],
  [['publish', '--userapproved'], 'Did you mean --user-approved?'],
  [['publish', '--tagret', '5'], 'Did you mean --target?'],
  [['publish', '--yes'], 'There is no option --yes. (usage)'],
  [
    ['publish', 'shop.com', '--category', 'Games', '--user-approved'],
    'Next: placard-agent publish https://shop.com/ --category Games',
  ],
  [
    ['quote', 'https://a.dev', '--category=gmaes', '--board=all', '--target=5'],
    'Next: placard-agent quote https://a.dev --category=Games',
  ],
])('%j is told %j', async (args, told) => {
  const { code, stderr } = await runHere(args, {
    env: { PLACARD_SERVICE: 'https://placard.dev', PLACARD_JOURNAL: newJournalPath() },
  })
  expect([code, stderr]).toEqual([2, expect.stringContaining(told)])
})
