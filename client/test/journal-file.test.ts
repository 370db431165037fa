import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { appendRecord, readRecords } from '../src/file-store/journal.ts'
import { formatLine } from '../src/file-store/line.ts'
import {
  CATEGORY,
  DESTINATION,
  ended,
  errorOf,
  newClient,
  newJournalPath,
  PIPED,
  RECEIPT,
  REQUEST,
  runNode,
} from './fixtures.ts'
import { reply, startPeer } from './peer.ts'

const unix = test.skipIf(process.platform === 'win32')

/** Tries to publish with something bad at a new journal path, and expects an explanation and nothing sent. */
async function expectUnusable(put: (path: string) => string | undefined): Promise<string> {
  const path = newJournalPath()
  mkdirSync(dirname(path))
  const journalPath = put(path) ?? path
  const peer = await startPeer(reply(201, RECEIPT))
  const error = await errorOf(newClient(peer.url, { journalPath }).publish(REQUEST))
  expect(error).toMatchObject({ kind: 'usage', code: 'journal_unusable' })
  expect(error.error).toContain(journalPath)
  expect(error.whatNext).toContain('name another file')
  expect(peer.arrivals).toEqual([])
  return journalPath
}

test('a folder is no journal', async () => {
  await expectUnusable(path => void mkdirSync(path))
})

unix('a pipe is not a journal, does not block, and keeps its mode', async () => {
  const path = await expectUnusable(path => void execFileSync('mkfifo', ['-m', '666', path]))
  expect(statSync(path).mode & 0o777).toBe(0o666)
})

test.runIf(process.platform === 'linux')(
  'a place in which no folder can be made is no place for a journal',
  async () => {
    await expectUnusable(() => '/proc/nowhere/placard/journal.jsonl')
  },
)

unix.each(['/dev/null', '/dev/full', '/dev/zero', '/dev/tty'])('%s is no journal', async device => {
  await expectUnusable(() => device)
})

unix('a link that leads to itself is no journal', async () => {
  await expectUnusable(path => symlinkSync(path, path) as undefined)
})

test('a path that cannot be created is no journal', async () => {
  await expectUnusable(path => {
    writeFileSync(path, '')
    return join(path, 'below', 'journal.jsonl')
  })
})

test('a path that no file can have is no journal', async () => {
  await expectUnusable(path => `${path}\0`)
  await expectUnusable(path => join(dirname(path), 'x'.repeat(5000)))
})

const source = (path: string) => new URL(`../src/${path}`, import.meta.url).href

/**
 * Publishes from a separate process in which `before` has run first; prints the error's code. All is loaded by then: as
 * another user, it might not enter this project's folder.
 */
const publishAfter = (before: string, service: string, journalPath: string) =>
  runNode(
    `const { PlacardClient } = await import(process.argv[1])
     const { fileStore } = await import(process.argv[4])
     ${before}
     const client = new PlacardClient({ service: process.argv[2], store: fileStore(process.argv[3]), waitBudgetMs: 0 })
     await client.publish(${JSON.stringify({ destination: DESTINATION, category: CATEGORY, userApproved: true })})
       .then(() => console.log('published'), error => console.log(error.code + ': ' + error.message))`,
    [source('index.ts'), service, journalPath, source('file-store/index.ts')],
  )

unix('a journal that may not be read stops a publish', async () => {
  const journalPath = newJournalPath()
  const peer = await startPeer(reply(201, RECEIPT))
  await newClient(peer.url, { journalPath }).publish(REQUEST)
  chmodSync(journalPath, 0o000)
  // To root nothing is forbidden.
  const { stdout, stderr } = await publishAfter(
    'if (process.geteuid() === 0) process.seteuid(65534)',
    peer.url,
    journalPath,
  )
  expect({ stdout, stderr }).toEqual({
    stdout: expect.stringMatching(/^journal_unusable: .*EACCES/),
    stderr: '',
  })
  expect(peer.arrivals).toHaveLength(1)
})

test('a journal that cannot be forced to disk stops a publish before anything is sent', async () => {
  const peer = await startPeer(reply(201, RECEIPT))
  const failing = `
    const { open } = await import('node:fs/promises')
    const file = await open(process.execPath)
    Object.getPrototypeOf(file).sync = async function () {
      if ((await this.stat()).isFile()) throw new Error('EIO: i/o error, fsync')
    }
    await file.close()`
  const { stdout } = await publishAfter(failing, peer.url, newJournalPath())
  expect(stdout).toMatch(/^journal_unusable: .*EIO/)
  expect(peer.arrivals).toEqual([])
})

unix('a disk that is full in the middle of a line stops a publish, and later the same journal is good', async () => {
  const journalPath = newJournalPath()
  const peer = await startPeer(reply(201, RECEIPT))
  const limitBytes = 20 * 512
  const outcome = { type: 'outcome', at: '', key: crypto.randomUUID(), state: 'postponed' } as const
  const filling = limitBytes - 100 - formatLine({ ...outcome, code: '' }).length
  await appendRecord(journalPath, { ...outcome, code: 'x'.repeat(filling) })
  const before = readFileSync(journalPath)

  const publish = ['publish', DESTINATION, '--category', CATEGORY, '--user-approved', '--service', peer.url]
  const cli = fileURLToPath(new URL('../src/cli.ts', import.meta.url))
  const args = [process.execPath, cli, ...publish, '--journal', journalPath]
  for (const why of ['The disk is full.', 'EFBIG']) {
    const { code, stderr } = await ended(spawn('sh', ['-c', 'ulimit -f 20; exec "$0" "$@"', ...args], PIPED))
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(why) })
  }
  expect(peer.arrivals).toEqual([])
  const full = readFileSync(journalPath)
  expect(full).toHaveLength(limitBytes)
  expect(full.subarray(0, before.length)).toEqual(before)

  await newClient(peer.url, { journalPath }).publish(REQUEST)
  expect(peer.arrivals).toHaveLength(1)
  expect(await readRecords(journalPath)).toHaveLength(3)
})
