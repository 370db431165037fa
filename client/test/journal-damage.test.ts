// @module-tag slow
import { readFileSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { appendRecord, readRecords } from '../src/file-store/journal.ts'
import { formatLine } from '../src/file-store/line.ts'
import type { JournalRecord } from '../src/submissions/record.ts'
import { CATEGORY, errorOf, newClient, RECEIPT, REQUEST, runCli } from './fixtures.ts'
import { fileOf, journalOf, NEW, OLD, OTHER, RECORDS, recordsFor } from './journal-bytes.ts'
import { reply, startPeer } from './peer.ts'

const scratch = fileOf(Buffer.alloc(0))
async function read(bytes: Buffer): Promise<JournalRecord[]> {
  writeFileSync(scratch, bytes)
  return readRecords(scratch)
}

/** The bytes with some of them changed: offsets count from any number, and no change leaves a byte as it was. */
function changed(bytes: Buffer, changes: [offset: number, mask: number][]): Buffer {
  const copy = Buffer.from(bytes)
  const masks = new Map(changes.map(([offset, mask]) => [offset % bytes.length, mask]))
  for (const [offset, mask] of masks) copy[offset] = (copy[offset] ?? 0) ^ mask
  return copy
}

const change = fc.tuple(fc.nat({ max: NEW.length - 1 }), fc.integer({ min: 1, max: 255 }))

describe('a damaged journal', () => {
  test('is recognised by any few changed bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async changes => {
        const error = await errorOf(read(changed(NEW, changes)))
        expect(error).toMatchObject({ kind: 'usage', code: 'journal_damaged', keepCredentials: true })
      }),
      { numRuns: 300 },
    )
  })

  test('is recognised by its last line break alone, whatever it became', async () => {
    for (let mask = 1; mask < 256; mask++) {
      expect((await errorOf(read(changed(NEW, [[NEW.length - 1, mask]])))).code).toBe('journal_damaged')
    }
  })

  test('is recognised by zeros anywhere', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(NEW.length - 1), fc.integer({ min: 1, max: NEW.length }), async (from, length) => {
        const bytes = Buffer.from(NEW).fill(0, from, Math.min(NEW.length, from + length))
        expect((await errorOf(read(bytes))).code).toBe('journal_damaged')
      }),
    )
  })

  test('of the first version, too, silently loses no line', async () => {
    await fc.assert(
      fc.asyncProperty(change, async ([offset, mask]) => {
        const records = await read(changed(OLD, [[offset, mask]])).catch(error => error)
        expect(records.code ?? records.length).toBe(records.code ? 'journal_damaged' : RECORDS.length)
      }),
      { numRuns: 300 },
    )
  })

  test('stops a publish of any destination, names the line and what to do, and stays unchanged', {
    tags: ['programs'],
  }, async () => {
    const peer = await startPeer(reply(201, RECEIPT))
    const bytes = journalOf(recordsFor(peer.url).map(formatLine))
    const secondLine = bytes.indexOf('\n') + 1
    const damaged = changed(bytes, [[secondLine + 200, 1]])
    const journalPath = fileOf(damaged)
    const client = newClient(peer.url, { journalPath })
    for (const destination of [REQUEST.destination, OTHER, 'https://third.example.org/']) {
      const error = await errorOf(client.publish({ ...REQUEST, destination }))
      expect(error).toMatchObject({ kind: 'usage', code: 'journal_damaged', keepCredentials: true })
      expect(error.error).toContain(`Line 2 of the journal ${journalPath} is damaged`)
      expect(error.whatNext).toMatch(/^Nothing was sent\. Restore the journal from a backup/)
    }
    const args = ['publish', OTHER, '--category', CATEGORY, '--user-approved', '--journal', journalPath]
    const { code, stdout, stderr } = await runCli([...args, '--service', peer.url])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('Line 2 of the journal')
    expect(stderr).not.toMatch(/[0-9a-f]{64}/)
    expect(peer.arrivals).toEqual([])
    expect(readFileSync(journalPath)).toEqual(damaged)
  })

  test('is not written to when the damage is at its end', async () => {
    const path = fileOf(changed(NEW, [[NEW.length - 1, 1]]))
    const before = readFileSync(path)
    expect((await errorOf(appendRecord(path, RECORDS[3] as JournalRecord))).code).toBe('journal_damaged')
    expect(readFileSync(path)).toEqual(before)
  })

  test('can be used again once the damaged line is taken out', async () => {
    const peer = await startPeer(reply(200, RECEIPT))
    const records = recordsFor(peer.url)
    const [first, second, ...rest] = records.map(formatLine)
    const journalPath = fileOf(journalOf([first ?? '', ...rest]))
    expect(second).toBeDefined()
    await newClient(peer.url, { journalPath }).publish(REQUEST)
    expect(peer.arrivals[0]?.headers['idempotency-key']).toBe(records[0]?.key)
  })
})

describe('a journal whose last line was cut off', () => {
  const ENDS = (bytes: Buffer) => [...bytes.entries()].filter(([, byte]) => byte === 10).map(([index]) => index)

  test.each([
    ['of today', NEW],
    ['of the first version', OLD],
  ])('at any byte keeps every whole line, and is written on: %s', async (_name, bytes) => {
    const more = RECORDS[3] as JournalRecord
    for (let size = 0; size <= bytes.length; size++) {
      const wholeLines = ENDS(bytes).filter(end => end <= size).length
      expect([size, (await read(bytes.subarray(0, size))).length]).toEqual([size, wholeLines])
      if (size % 61 !== 0 && bytes[size] !== 10) continue
      for (const times of [1, 2]) {
        await appendRecord(scratch, more)
        expect([size, (await readRecords(scratch)).length]).toEqual([size, wholeLines + times])
      }
      expect(readFileSync(scratch).subarray(0, size)).toEqual(bytes.subarray(0, size))
    }
  })

  test('may be cut off once more in the mark that says so', async () => {
    writeFileSync(scratch, NEW.subarray(0, NEW.length - 150))
    await appendRecord(scratch, RECORDS[3] as JournalRecord)
    const marked = readFileSync(scratch)
    const mark = marked.indexOf('{"torn":')
    for (let size = mark; size < mark + 28; size++) {
      expect(await read(marked.subarray(0, size))).toHaveLength(3)
      await appendRecord(scratch, RECORDS[3] as JournalRecord)
      expect(await readRecords(scratch)).toHaveLength(4)
    }
  })

  test('is damaged if anything but the cut precedes the mark', async () => {
    writeFileSync(scratch, NEW.subarray(0, NEW.length - 50))
    await appendRecord(scratch, RECORDS[3] as JournalRecord)
    const marked = readFileSync(scratch)
    const cutLine = NEW.lastIndexOf('\n', -2) + 1
    for (let offset = cutLine; offset < marked.indexOf('{"torn":') + 27; offset++) {
      expect((await errorOf(read(changed(marked, [[offset, 1]])))).code).toBe('journal_damaged')
    }
  })

  test('sends what was sent before, wherever after the submission it is cut', async () => {
    const peer = await startPeer(reply(200, RECEIPT))
    const records = recordsFor(peer.url)
    const bytes = journalOf(records.map(formatLine))
    for (let size = bytes.indexOf('\n'); size < bytes.length; size += 97) {
      const journalPath = fileOf(bytes.subarray(0, size))
      await newClient(peer.url, { journalPath }).publish(REQUEST)
      await newClient(peer.url, { journalPath }).publish(REQUEST)
    }
    expect(peer.arrivals.length).toBeGreaterThan(20)
    expect(new Set(peer.arrivals.map(({ headers }) => headers['idempotency-key']))).toEqual(new Set([records[0]?.key]))
  })

  test('within its first line starts over', async () => {
    const peer = await startPeer(reply(201, RECEIPT))
    const journalPath = fileOf(NEW.subarray(0, 300))
    await newClient(peer.url, { journalPath }).publish(REQUEST)
    expect(await readRecords(journalPath)).toHaveLength(2)
  })
})
