import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { NOON, startTestService, type TestService } from '../../server/test/support/service.ts'
import { journalLines, newJournalPath } from './fixtures.ts'

export const CATEGORY = 'Food & Drink'
export const PRIVATE_PART = /#owner=[\w-]{43}/

/** A publish that the customer has approved. */
export const approved = (host: string) => ({
  destination: `http://${host}/`,
  category: CATEGORY,
  userApproved: true,
})

/** Key and secret of each submission in a journal. */
export const credentialsIn = (path: string) =>
  journalLines(path)
    .filter(({ type }) => type === 'submission')
    .map(({ key, secret }) => ({ key, secret }))

const journals: string[] = []

/** A path for a journal, which is removed after the tests of the file. */
export const newJournal = () => {
  const path = newJournalPath()
  journals.push(path)
  return path
}
afterAll(() => {
  for (const path of journals.splice(0)) rmSync(dirname(dirname(path)), { recursive: true, force: true })
})

/** Starts a service for the tests of the file, at noon before each of them. @returns what gives the service then */
export function realService(): () => TestService {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService()
  })
  afterAll(() => service.stop())
  beforeEach(() => {
    service.clock.now = NOON
  })
  return () => service
}
