import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, test } from 'vitest'
import { fileStore } from '../src/file-store/index.ts'
import { appendRecord, readRecords } from '../src/file-store/journal.ts'
import type { OutcomeRecord } from '../src/submissions/record.ts'
import { recordOutcome } from '../src/submissions/submission.ts'
import { credentialsOf, errorOf, newClient, newJournalPath, RECEIPT, REQUEST, runNode } from './fixtures.ts'
import { refuse, reply, startPeer } from './peer.ts'

const outcome = (more: Partial<OutcomeRecord> = {}): OutcomeRecord => ({
  type: 'outcome',
  at: '2026-09-06T12:00:00.000Z',
  key: crypto.randomUUID(),
  state: 'postponed',
  ...more,
})

describe('the journal', () => {
  test('returns what was written, in order, whatever the text', async () => {
    const path = newJournalPath()
    const records = ['', '{"torn":"0123456789abcdef"}', 'über\n"\\ \u2028', '\u{1f600}'].map(code => outcome({ code }))
    for (const record of records) await appendRecord(path, record)
    expect(await readRecords(path)).toMatchObject(records)
  })

  test('uses the more conclusive of two reports, in whichever order they come', async () => {
    const journalPath = newJournalPath()
    const peer = await startPeer(refuse(422, 'review_rejected'), reply(201, RECEIPT))
    const client = newClient(peer.url, { journalPath })
    await errorOf(client.publish(REQUEST))
    const [first] = peer.arrivals.map(credentialsOf)
    const known = { key: String(first?.key), outcome: undefined }
    await recordOutcome(fileStore(journalPath), known, { state: 'unknown', code: 'timeout' })
    await client.publish(REQUEST)
    expect(peer.arrivals[1]?.headers['idempotency-key']).not.toBe(first?.key)
  })

  test('that others could read becomes private', async () => {
    const path = newJournalPath()
    await appendRecord(path, outcome())
    chmodSync(path, 0o644)
    await appendRecord(path, outcome())
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  test('leaves an existing folder’s mode unchanged', async () => {
    const path = newJournalPath()
    mkdirSync(dirname(path), { mode: 0o755 })
    await appendRecord(path, outcome())
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o755)
  })

  test('keeps the lines of many writers whole', async () => {
    const path = newJournalPath()
    const records = Array.from({ length: 50 }, (_, n) => outcome({ code: 'x'.repeat(n * 20) }))
    await Promise.all(records.map(record => appendRecord(path, record)))
    const read = await readRecords(path)
    expect(read).toHaveLength(50)
    expect(read).toEqual(expect.arrayContaining(records.map(record => expect.objectContaining(record))))
  })

  test('keeps the lines of several processes complete, even after a cut-off line that all of them find', async () => {
    const path = newJournalPath()
    await appendRecord(path, outcome())
    const whole = readFileSync(path)
    const script = `
      const { appendRecord } = await import(process.argv[1])
      const record = ${JSON.stringify(outcome())}
      for (let n = 0; n < 40; n++) await appendRecord(process.argv[2], { ...record, code: 'x'.repeat(n * 200) })`
    const journal = new URL('../src/file-store/journal.ts', import.meta.url).href
    writeFileSync(path, Buffer.concat([whole, whole.subarray(0, 100)]))
    const runs = await Promise.all([1, 2, 3].map(() => runNode(script, [journal, path])))
    expect(runs.map(({ code, stderr }) => ({ code, stderr }))).toEqual(Array(3).fill({ code: 0, stderr: '' }))
    expect(await readRecords(path)).toHaveLength(1 + 3 * 40)
  })
})
