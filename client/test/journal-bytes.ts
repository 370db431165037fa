import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { formatLine } from '../src/file-store/line.ts'
import type { JournalRecord } from '../src/submissions/record.ts'
import { newSubmission } from '../src/submissions/submission.ts'
import { CATEGORY, newJournalPath, RECEIPT, REQUEST } from './fixtures.ts'

const at = '2026-09-06T12:00:00.000Z'
export const OTHER = 'https://other.example.org/'

/** Two submissions: one was accepted, one waits its turn. */
export function recordsFor(service: string): JournalRecord[] {
  const [first, second] = [REQUEST.destination, OTHER].map(destination => {
    const { key, secret, body } = newSubmission({ service, destination, category: CATEGORY })
    return { type: 'submission', at, service, key, secret: secret.reveal(), body } as const
  })
  if (!first || !second) throw new Error('unreachable')
  const receipt = { ...RECEIPT, notice: 'Gardé — “für immer”.' }
  return [
    first,
    { type: 'outcome', at, key: first.key, state: 'accepted', status: 201, receipt },
    second,
    { type: 'outcome', at, key: second.key, state: 'postponed', status: 429, code: 'quota_ip' },
  ]
}

export const RECORDS = recordsFor('https://placard.example.org')
/** The bytes of a journal of these lines. */
export const journalOf = (lines: string[]) => Buffer.from(lines.map(line => `${line}\n`).join(''))
export const NEW = journalOf(RECORDS.map(formatLine))
/** As the first version wrote it: no checksum, no length, no version. */
export const OLD = journalOf(RECORDS.map(record => JSON.stringify(record)))

/** A new journal of these bytes; its path. */
export function fileOf(bytes: Buffer): string {
  const path = newJournalPath()
  mkdirSync(dirname(path))
  writeFileSync(path, bytes)
  return path
}
