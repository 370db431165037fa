import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, test } from 'vitest'
import { formatLine } from '../src/file-store/line.ts'
import {
  CATEGORY,
  credentialsOf,
  DESTINATION,
  errorOf,
  newClient,
  newJournalPath,
  RECEIPT,
  REQUEST,
  runHere,
} from './fixtures.ts'
import { fileOf, journalOf, recordsFor } from './journal-bytes.ts'
import { answer, hangUp, refuse, reply, type Step, startPeer, stayMute } from './peer.ts'

/** Publishes through the command; what it says, with everything that differs from run to run named. */
async function publish(service: string, journal: string, ...more: string[]) {
  const args = ['publish', DESTINATION, '--category', CATEGORY, '--user-approved', '--wait', '0', ...more]
  const { code, stdout, stderr } = await runHere(args, {
    env: { PLACARD_SERVICE: service, PLACARD_JOURNAL: journal },
  })
  expect(stdout + stderr).not.toMatch(/[0-9a-f]{64}|#owner=/)
  const said = stderr
    .replaceAll(journal, 'JOURNAL')
    .replaceAll(service, 'SERVICE')
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d UTC/, 'WHEN')
  return { code, said: said.trimEnd().split('\n') }
}

const AGAIN = `Next: placard-agent publish ${DESTINATION} --category "${CATEGORY}" --user-approved --wait 0`
const KEPT = 'The key, secret and body are saved in JOURNAL.'
const later = { 'retry-after': '3600' }

const faults: [string, Step, number, string[]][] = [
  [
    'a lost response',
    hangUp,
    3,
    [
      'placard-agent: The connection to the service was lost before its answer was there. (network_error)',
      `Repeat the same publish later. ${KEPT}`,
      AGAIN,
    ],
  ],
  [
    '429 with a long wait',
    refuse(429, 'quota_host', {}, later),
    3,
    ['placard-agent: Refused with quota_host. (429 quota_host)', `Repeat the same publish after WHEN. ${KEPT}`, AGAIN],
  ],
  [
    '503 for an hour',
    refuse(503, 'review_unavailable', {}, later),
    3,
    [
      'placard-agent: Refused with review_unavailable. (503 review_unavailable)',
      `Repeat the same publish after WHEN. ${KEPT}`,
      AGAIN,
    ],
  ],
  [
    '409 for a key that was used otherwise',
    refuse(409, 'idempotency_conflict'),
    1,
    [
      'placard-agent: Refused with idempotency_conflict. (409 idempotency_conflict)',
      'This submission is over; the next publish begins a new one.',
      'Next: placard-agent help publish',
    ],
  ],
  [
    '409 for a destination that is listed',
    refuse(409, 'destination_already_listed'),
    1,
    [
      'placard-agent: Refused with destination_already_listed. (409 destination_already_listed)',
      'If you published it from another machine, ask for its status there, or import that machine’s journal.',
      'Next: placard-agent list',
    ],
  ],
  [
    '400 for a category that only the client knows',
    refuse(400, 'unknown_category'),
    1,
    [
      'placard-agent: Refused with unknown_category. (400 unknown_category)',
      'This submission is over; the next publish begins a new one.',
      'Next: placard-agent capabilities',
    ],
  ],
  [
    '410',
    refuse(410, 'submissions_closed'),
    1,
    [
      'placard-agent: Refused with submissions_closed. (410 submissions_closed)',
      `If submissions open again, repeat the same publish. ${KEPT}`,
      'Next: placard-agent capabilities',
    ],
  ],
  [
    '422',
    refuse(422, 'review_rejected', { reason: 'empty_page' }),
    1,
    [
      'placard-agent: Refused with review_rejected. (422 review_rejected empty_page)',
      'The page shows nothing to list. Give it a title and some words. Change the page, then publish again: that begins a new submission.',
      `Next: placard-agent check ${DESTINATION} --category "${CATEGORY}"`,
    ],
  ],
  [
    'nonsense',
    answer(200, 'text/html', '<h1>Log in</h1>'),
    3,
    [
      'placard-agent: The answer cannot be used: it is text/html, not JSON. Something other than the service may have sent it: check the service address. (200 invalid_response)',
      `Repeat the same publish later. ${KEPT}`,
      AGAIN,
    ],
  ],
  [
    'a proxy that does not reach the service',
    answer(502, 'text/html', '<h1>Bad gateway</h1>'),
    3,
    [
      'placard-agent: The answer cannot be used: it is text/html, not JSON. A proxy that cannot reach the service may have sent it. (502 invalid_response)',
      `Repeat the same publish later. ${KEPT}`,
      AGAIN,
    ],
  ],
  [
    'a redirect',
    response => void response.writeHead(308, { location: 'https://elsewhere.example.org/x' }).end(),
    1,
    [
      'placard-agent: The service address redirects to https://elsewhere.example.org, and a secret is not sent after a redirect. (308 redirected)',
      `If you trust that address, use it as the service address. ${KEPT}`,
    ],
  ],
  [
    'an API that is no Placard',
    refuse(404, 'not_found'),
    1,
    [
      'placard-agent: SERVICE has no such operation: it is not a Placard site, or runs an older version. (404 not_found)',
      `Check the service address. ${KEPT}`,
    ],
  ],
]

describe('a publish that meets', () => {
  test.each(faults)('%s says what happened, what to do and the next command', async (_name, step, code, said) => {
    const peer = await startPeer(step)
    expect(await publish(peer.url, newJournalPath())).toEqual({ code, said })
    expect(peer.arrivals).toHaveLength(1)
  })

  /** After these, the listing may exist or the same submission may be accepted: its key is never replaced. */
  test.each(faults.filter(([name]) => !/^4(00|09|22)/.test(name)))('%s keeps its one key', async (_name, step) => {
    const journal = newJournalPath()
    const peer = await startPeer(step, step, reply(201, RECEIPT))
    for (const code of [expect.any(Number), expect.any(Number), 0]) {
      expect(await publish(peer.url, journal)).toMatchObject({ code })
    }
    expect(new Set(peer.arrivals.map(arrival => JSON.stringify(credentialsOf(arrival)))).size).toBe(1)
  })

  test('a failure is listed by its code and its time', async () => {
    const [peer, journal] = [await startPeer(refuse(503, 'review_unavailable', {}, later)), newJournalPath()]
    await publish(peer.url, journal)
    const { stdout } = await runHere(['list', '--journal', journal])
    expect(stdout).toMatch(/\n {2}unfinished: review_unavailable \(\S+ \S+ UTC\); it may have been accepted\n$/)
  })

  test('no answer in time says that it may have been accepted', async () => {
    const peer = await startPeer(stayMute)
    const journalPath = newJournalPath()
    const client = newClient(peer.url, { journalPath, requestTimeoutMs: 200, waitBudgetMs: 0 })
    expect(await errorOf(client.publish(REQUEST))).toMatchObject({
      kind: 'unknown',
      code: 'timeout',
      message: `The service did not answer within 0.2 seconds. Repeat the same publish later. ${KEPT.replace('JOURNAL', journalPath)}`,
    })
  })

  test('a service that is not there says that nothing was accepted', async () => {
    const peer = await startPeer(hangUp)
    await peer.stop()
    expect(await publish(peer.url, newJournalPath())).toEqual({
      code: 3,
      said: [
        'placard-agent: The service could not be reached (ECONNREFUSED). Is its address right, and is it running? (network_error)',
        `Repeat the same publish later. ${KEPT}`,
        AGAIN,
      ],
    })
  })

  test('a damaged journal sends nothing and names the line', async () => {
    const peer = await startPeer(reply(201, RECEIPT))
    const bytes = journalOf(recordsFor(peer.url).map(formatLine))
    bytes[bytes.indexOf('\n') + 100] = 0
    const { code, said } = await publish(peer.url, fileOf(bytes))
    expect({ code, said }).toEqual({
      code: 2,
      said: [
        'placard-agent: Line 2 of the journal JOURNAL is damaged, and may hold the only key of a listing. (journal_damaged store)',
        expect.stringMatching(/^Nothing was sent\. Restore the journal from a backup, or fix that line\. /),
      ],
    })
    expect(peer.arrivals).toEqual([])
  })

  test('a newer journal sends nothing and says to update', async () => {
    const peer = await startPeer(reply(201, RECEIPT))
    const [first] = recordsFor(peer.url)
    const journal = fileOf(journalOf([formatLine({ ...first, v: 3 } as never)]))
    expect(await publish(peer.url, journal)).toEqual({
      code: 2,
      said: [
        'placard-agent: Line 1 of the journal JOURNAL was written by a newer version of this client. (journal_newer store)',
        'Nothing was sent. Update the client, or name another file.',
        'Next: placard-agent help publish',
      ],
    })
    expect(peer.arrivals).toEqual([])
  })

  test('a journal that is no file sends nothing', async () => {
    const peer = await startPeer(reply(201, RECEIPT))
    const journal = newJournalPath()
    mkdirSync(dirname(journal))
    execFileSync('mkfifo', [journal])
    expect(await publish(peer.url, journal)).toEqual({
      code: 2,
      said: [
        'placard-agent: Cannot use the journal JOURNAL: It is not a regular file. (journal_unusable store)',
        expect.stringMatching(/^Nothing was sent: without a journal, a receipt could be lost\./),
        'Next: placard-agent help publish',
      ],
    })
    expect(peer.arrivals).toEqual([])
  })
})
