import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readRecords } from '../src/file-store/journal.ts'
import { formatLine } from '../src/file-store/line.ts'
import type { JournalRecord } from '../src/submissions/record.ts'
import { errorOf, newClient, RECEIPT, REQUEST } from './fixtures.ts'
import { fileOf, journalOf, RECORDS, recordsFor } from './journal-bytes.ts'
import { reply, startPeer } from './peer.ts'

describe('a journal', () => {
  test('with repeated lines sends the same key', async () => {
    const peer = await startPeer(reply(200, RECEIPT))
    const records = recordsFor(peer.url)
    const lines = records.map(formatLine)
    const copies = fc.array(fc.constantFrom(...lines), { maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(copies, copies, async (before, after) => {
        const journalPath = fileOf(journalOf([...before, ...lines, ...after]))
        await newClient(peer.url, { journalPath }).publish(REQUEST)
        expect(peer.arrivals.at(-1)?.headers['idempotency-key']).toBe(records[0]?.key)
      }),
      { numRuns: 20 },
    )
  })

  test('with lines of a newer version says to update, and nothing is sent', async () => {
    const peer = await startPeer(reply(201, RECEIPT))
    const [first, ...rest] = recordsFor(peer.url)
    const newer = formatLine({ ...first, v: 3, type: 'withdrawal' } as unknown as JournalRecord)
    const journalPath = fileOf(journalOf([...rest.map(formatLine), newer]))
    const error = await errorOf(newClient(peer.url, { journalPath }).publish(REQUEST))
    expect(error).toMatchObject({ kind: 'usage', code: 'journal_newer' })
    expect(error.message).toMatch(/Line 4 .* newer version .* Update/)
    expect(peer.arrivals).toEqual([])
  })

  test('of the first version is read, and continues in this one', async () => {
    const peer = await startPeer(reply(200, RECEIPT))
    const records = recordsFor(peer.url)
    const journalPath = fileOf(journalOf(records.map(record => JSON.stringify(record))))
    await newClient(peer.url, { journalPath }).publish(REQUEST)
    expect(peer.arrivals[0]?.headers['idempotency-key']).toBe(records[0]?.key)
    expect(readFileSync(journalPath, 'utf8').trimEnd().split('\n').at(-1)).toMatch(/^\{"sum":/)
    expect(await readRecords(journalPath)).toHaveLength(5)
  })

  test.each([
    ['no key', { key: 'no key' }],
    ['half a secret', { secret: 'f'.repeat(32) }],
    ['a body that is no JSON', { body: 'no JSON' }],
    ['a body without a destination', { body: '{}' }],
    ['no service', { service: undefined }],
    ['a type of its own', { type: 'note' }],
  ])('with a whole line that holds %s is damaged', async (_what, part) => {
    const line = { ...RECORDS[0], ...part } as JournalRecord
    expect((await errorOf(readRecords(fileOf(journalOf([formatLine(line)]))))).code).toBe('journal_damaged')
    expect((await errorOf(readRecords(fileOf(journalOf([JSON.stringify(line)]))))).code).toBe('journal_damaged')
  })
})
