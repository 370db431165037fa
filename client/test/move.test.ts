import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { fileStore } from '../src/file-store/index.ts'
import { formatLine } from '../src/file-store/line.ts'
import { mergeSubmissions } from '../src/submissions/move.ts'
import type { JournalRecord } from '../src/submissions/record.ts'
import { memoryStore, type SubmissionStore } from '../src/submissions/store.ts'
import { errorOf, newClient, newJournalPath, RECEIPT, REQUEST, runHere } from './fixtures.ts'
import { fileOf, journalOf, NEW, OTHER, RECORDS } from './journal-bytes.ts'
import { hangUp, refuse, reply, startPeer } from './peer.ts'

const exported = (journal: string, file: string) => runHere(['export', file, '--journal', journal])
const imported = (journal: string, file: string, ...more: string[]) =>
  runHere(['import', file, '--journal', journal, ...more])

describe('a journal', () => {
  test('is exported whole to a private file, which is a journal', async () => {
    const journal = fileOf(NEW)
    const file = join(newJournalPath(), 'backup.jsonl')
    const { code, stdout, stderr } = await exported(journal, file)
    expect([code, stdout]).toEqual([
      0,
      `Copied ${journal} to ${file}: 2 submissions. The file holds secrets: keep it private.\nOn another machine: placard-agent import ${file}\n`,
    ])
    expect(stderr).toBe('')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readFileSync(file)).toEqual(NEW)
  })

  test.each([
    ['that does not exist', newJournalPath()],
    ['that is empty', fileOf(Buffer.alloc(0))],
  ])('%s is not exported, because a backup without submissions is none', async (_what, journal) => {
    const file = join(dirname(newJournalPath()), 'backup.jsonl')
    const { code, stderr } = await exported(journal, file)
    expect([code, stderr]).toEqual([2, expect.stringContaining(`There is no submission in ${journal}.`)])
    expect(existsSync(file)).toBe(false)
  })

  test('of a name without a file is not imported, and says so', async () => {
    const file = join(dirname(newJournalPath()), 'misspelt.jsonl')
    const { code, stderr } = await runHere(['import', file, '--journal', newJournalPath()])
    expect([code, stderr]).toEqual([2, expect.stringContaining(`There is no submission in ${file}, or no such file.`)])
  })

  test('is never exported over a file', async () => {
    const file = fileOf(Buffer.from('mine'))
    const { code, stderr } = await exported(fileOf(NEW), file)
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('(journal_exists') })
    expect(readFileSync(file, 'utf8')).toBe('mine')
  })

  test('that is imported adds what is new, once', async () => {
    const journal = fileOf(journalOf(RECORDS.slice(0, 2).map(formatLine)))
    const file = fileOf(NEW)
    expect(await imported(journal, file)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('2 submissions, 2 new records'),
    })
    expect(readFileSync(journal)).toEqual(NEW)
    expect(await imported(journal, file)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('has nothing that'),
    })
    expect(readFileSync(journal)).toEqual(NEW)
    expect(readFileSync(file)).toEqual(NEW)
  })

  test('that is imported into none makes a private one', async () => {
    const journal = newJournalPath()
    const { code, stdout } = await imported(journal, fileOf(NEW), '--json')
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { submissions: 2, added: 4, journal }])
    expect(statSync(journal).mode & 0o777).toBe(0o600)
    expect(readFileSync(journal)).toEqual(NEW)
  })

  test.each([
    ['damaged', Buffer.from(NEW).fill(0, 300, 310), 'journal_damaged'],
    ['newer', journalOf([...RECORDS.map(formatLine), formatLine({ ...RECORDS[0], v: 3 } as never)]), 'journal_newer'],
    ['empty', Buffer.alloc(0), 'usage'],
  ])('that is %s is not imported', async (_what, bytes, code) => {
    const journal = fileOf(NEW)
    const { stderr, ...ended } = await imported(journal, fileOf(bytes), '--json')
    expect([ended.code, JSON.parse(stderr)]).toMatchObject([2, { code }])
    expect(readFileSync(journal)).toEqual(NEW)
  })

  test('that disagrees about a key is not imported', async () => {
    const [first, ...rest] = RECORDS
    const changed = { ...first, secret: 'f'.repeat(64) } as JournalRecord
    const journal = fileOf(NEW)
    const { code, stderr } = await imported(journal, fileOf(journalOf([...rest, changed].map(formatLine))))
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('(journal_conflict)') })
    expect(stderr).not.toMatch(/[0-9a-f]{64}/)
    expect(readFileSync(journal)).toEqual(NEW)
  })

  test('loses no listing when two machines began the same one: the accepted key is found', async () => {
    const [here, there] = [newJournalPath(), newJournalPath()]
    const peer = await startPeer(hangUp, reply(201, RECEIPT), reply(200, RECEIPT))
    await errorOf(newClient(peer.url, { journalPath: here, waitBudgetMs: 0 }).publish(REQUEST))
    await newClient(peer.url, { journalPath: there }).publish(REQUEST)
    await imported(here, there)
    expect(await newClient(peer.url, { journalPath: here }).publish(REQUEST)).toMatchObject({
      replayed: true,
    })
    const keys = peer.arrivals.map(({ headers }) => headers['idempotency-key'])
    expect(keys[2]).toBe(keys[1])
  })

  test('of two unanswered submissions sends the first, and once that is refused, the other', async () => {
    const [here, there] = [newJournalPath(), newJournalPath()]
    const peer = await startPeer(hangUp, hangUp, refuse(409, 'destination_already_listed'), reply(200, RECEIPT))
    for (const journalPath of [here, there])
      await errorOf(newClient(peer.url, { journalPath, waitBudgetMs: 0 }).publish(REQUEST))
    await imported(here, there)
    const client = newClient(peer.url, { journalPath: here })
    expect(await errorOf(client.publish(REQUEST))).toMatchObject({ code: 'destination_already_listed' })
    expect(await client.publish(REQUEST)).toMatchObject({ replayed: true })
    const keys = peer.arrivals.map(({ headers }) => headers['idempotency-key'])
    expect([keys[2], keys[3]]).toEqual([keys[0], keys[1]])
  })
})

test.each([null, undefined, '/journal.jsonl', {}])('the library names a store that is none: %j', async wrong => {
  const none = wrong as unknown as SubmissionStore
  for (const [field, moved] of [
    ['from', mergeSubmissions(none, memoryStore())],
    ['into', mergeSubmissions(memoryStore(), none)],
  ] as const)
    expect(await errorOf(moved)).toMatchObject({ kind: 'usage', code: 'invalid_option', field })
})

test('the library moves submissions between any stores', async () => {
  const [memory, file] = [memoryStore(), fileStore(fileOf(NEW))]
  expect(await mergeSubmissions(file, memory)).toEqual({ submissions: 2, added: 4 })
  expect(await memory.read()).toEqual(RECORDS)
  expect(await mergeSubmissions(memory, file)).toEqual({ submissions: 2, added: 0 })
  writeFileSync(file.name, '')
  expect(await mergeSubmissions(memory, file)).toEqual({ submissions: 2, added: 4 })
  expect(readFileSync(file.name)).toEqual(NEW)
  expect(JSON.stringify(await newClient('https://placard.example.org', { journalPath: file.name }).list())).toContain(
    OTHER,
  )
})
