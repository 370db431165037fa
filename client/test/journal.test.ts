import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, test } from 'vitest'
import { appendLine, readLines } from '../src/journal.ts'
import { recordOutcome } from '../src/submission.ts'
import { credentialsOf, errorOf, newClient, newJournalPath, RECEIPT, REQUEST } from './fixtures.ts'
import { refuse, reply, startPeer } from './peer.ts'

describe('the journal', () => {
  test.skipIf(process.platform === 'win32')(
    'refuses what is no ordinary file, and leaves its mode alone',
    async () => {
      const journalPath = newJournalPath()
      mkdirSync(dirname(journalPath), { recursive: true })
      execFileSync('mkfifo', ['-m', '666', journalPath])
      const peer = await startPeer(reply(201, RECEIPT))
      const error = await errorOf(newClient(peer.url, { journalPath }).publish(REQUEST))
      expect(error).toMatchObject({ kind: 'usage', code: 'journal_unusable' })
      expect(peer.arrivals).toEqual([])
      expect(statSync(journalPath).mode & 0o777).toBe(0o666)
    },
  )

  test('survives a torn last line, and writes on after it', async () => {
    const path = newJournalPath()
    await appendLine(path, { type: 'a' })
    appendFileSync(path, '{"type":"submission","key":"1f')
    expect(await readLines(path)).toEqual([{ type: 'a' }])
    await appendLine(path, { type: 'b' })
    await appendLine(path, { type: 'c' })
    expect(await readLines(path)).toEqual([{ type: 'a' }, { type: 'b' }, { type: 'c' }])
  })

  test('torn at any byte loses no earlier line, nor a key that was sent', async () => {
    const journalPath = newJournalPath()
    const peer = await startPeer(reply(201, RECEIPT))
    const client = newClient(peer.url, { journalPath })
    await client.publish(REQUEST)
    const whole = readFileSync(journalPath)
    const firstLineBytes = whole.indexOf('\n')
    for (let size = firstLineBytes; size < whole.length; size += 40) {
      writeFileSync(journalPath, whole)
      truncateSync(journalPath, size)
      await client.publish(REQUEST)
    }
    expect(new Set(peer.arrivals.map(arrival => credentialsOf(arrival).key)).size).toBe(1)
  })

  test('torn within its first line begins anew', async () => {
    const journalPath = newJournalPath()
    const peer = await startPeer(reply(201, RECEIPT))
    mkdirSync(dirname(journalPath))
    writeFileSync(journalPath, '{"type":"submission","service":"http')
    await newClient(peer.url, { journalPath }).publish(REQUEST)
    expect(await readLines(journalPath)).toHaveLength(2)
  })

  test('passes over lines that hold no usable credentials', async () => {
    const journalPath = newJournalPath()
    const peer = await startPeer(reply(201, RECEIPT))
    const line = { type: 'submission', service: peer.url, secret: 'f'.repeat(64) }
    await appendLine(journalPath, { ...line, key: 'no key', body: '{}' })
    await appendLine(journalPath, { ...line, key: crypto.randomUUID(), body: 'no JSON' })
    await newClient(peer.url, { journalPath }).publish(REQUEST)
    expect(peer.arrivals).toHaveLength(1)
  })

  test('believes the more conclusive of two reports, in whichever order they come', async () => {
    const journalPath = newJournalPath()
    const peer = await startPeer(refuse(422, 'review_rejected'), reply(201, RECEIPT))
    const client = newClient(peer.url, { journalPath })
    await errorOf(client.publish(REQUEST))
    const [first] = peer.arrivals.map(credentialsOf)
    await recordOutcome(journalPath, String(first?.key), { state: 'unknown', code: 'timeout' })
    await client.publish(REQUEST)
    expect(peer.arrivals[1]?.headers['idempotency-key']).not.toBe(first?.key)
  })

  test('that others could read becomes private', async () => {
    const path = newJournalPath()
    await appendLine(path, { type: 'a' })
    chmodSync(path, 0o644)
    await appendLine(path, { type: 'b' })
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  test('leaves the mode of a folder that was there', async () => {
    const path = newJournalPath()
    mkdirSync(dirname(path), { mode: 0o755 })
    await appendLine(path, { type: 'a' })
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o755)
  })

  test('that cannot be written stops a publish before anything is sent', async () => {
    const journalPath = newJournalPath()
    mkdirSync(journalPath, { recursive: true })
    const peer = await startPeer(reply(201, RECEIPT))
    const error = await errorOf(newClient(peer.url, { journalPath }).publish(REQUEST))
    expect(error).toMatchObject({ kind: 'usage', code: 'journal_unusable' })
    expect(error.message).toContain(journalPath)
    expect(peer.arrivals).toHaveLength(0)
  })

  test('keeps the lines of many writers whole', async () => {
    const path = newJournalPath()
    const lines = Array.from({ length: 50 }, (_, n) => ({ type: 'a', n, text: 'x'.repeat(n * 20) }))
    await Promise.all(lines.map(line => appendLine(path, line)))
    const read = await readLines(path)
    expect(read).toHaveLength(50)
    expect(read).toEqual(expect.arrayContaining(lines))
  })
})
