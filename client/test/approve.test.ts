import { mkdtempSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { approve, askApproval, findAsked, takeApproval } from '../src/file-store/approvals.ts'
import { CATEGORY, DESTINATION, newJournalPath, runHere } from './fixtures.ts'

const wanted = { service: 'https://placard.dev', destination: DESTINATION, category: CATEGORY }
const HOUR_MS = 60 * 60 * 1000

const HOST = new URL(DESTINATION).hostname

const approving = (journal: string, code: string, typed = `${HOST}\n`, terminal = true) =>
  runHere(['approve', code, '--journal', journal], { terminal, typed })

test('a code waits in a file of its owner, and no two are alike', async () => {
  const journal = newJournalPath()
  const codes = new Set<string>()
  for (let number = 0; number < 50; number++) {
    const { code } = await askApproval(journal, { ...wanted, destination: `https://shop-${number}.dev/` })
    expect(code).toMatch(/^[2-9A-HJKMNP-TV-Z]{8}$/)
    codes.add(code)
  }
  expect(codes.size).toBe(50)
  const folder = `${journal}.approvals`
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
})

describe('approve', () => {
  test('shows what it is about, and counts once for just that', async () => {
    const journal = newJournalPath()
    const { code } = await askApproval(journal, wanted)
    const {
      code: exit,
      stdout,
      stderr,
    } = await approving(journal, `${code.slice(0, 4)}-${code.slice(4)}`.toLowerCase())
    expect([exit, stdout]).toEqual([0, expect.stringMatching(/^Approved\. .* before \d{4}-.* UTC\.\n$/)])
    expect(stderr).toContain(`Type ${HOST} to publish`)
    for (const shown of [DESTINATION, CATEGORY, wanted.service, `${wanted.service}/rules`])
      expect(stderr).toContain(shown)
    expect(await takeApproval(journal, { ...wanted, category: 'Games' })).toBeUndefined()
    expect(await takeApproval(journal, { ...wanted, service: 'https://other.dev' })).toBeUndefined()
    const both = await Promise.all([takeApproval(journal, wanted), takeApproval(journal, wanted)])
    expect(both.filter(Boolean)).toHaveLength(1)
    expect((await approving(journal, code)).stderr).toContain('(unknown_code)')
  })

  test.each(['no', 'yes', 'y', '', `not-${HOST}`])('leaves it waiting after %j', async typed => {
    const journal = newJournalPath()
    const { code } = await askApproval(journal, wanted)
    expect(await approving(journal, code, `${typed}\n`)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('(declined)'),
    })
    expect(await takeApproval(journal, wanted)).toBeUndefined()
    expect((await approving(journal, code, ` ${HOST.toUpperCase()} \n`)).code).toBe(0)
  })

  test('is for a person at a terminal', async () => {
    const journal = newJournalPath()
    const { code } = await askApproval(journal, wanted)
    const { code: exit, stderr } = await approving(journal, code, `${HOST}\n`, false)
    expect([exit, stderr]).toEqual([2, expect.stringContaining('(not_a_terminal)')])
    expect(await takeApproval(journal, wanted)).toBeUndefined()
  })

  test.each(['../../etc/passwd', 'ABCDEFGH', ''])('knows no code %j', async code => {
    expect(await approving(newJournalPath(), code)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('(unknown_code)'),
    })
  })
})

test('neither a code nor a yes outlives an hour', async () => {
  const journal = newJournalPath()
  const asked = await askApproval(journal, wanted, 0)
  expect(await findAsked(journal, asked.code, HOUR_MS - 1)).toEqual(asked)
  expect(await findAsked(journal, asked.code, HOUR_MS)).toBeUndefined()
  expect(readdirSync(`${journal}.approvals`)).toEqual([])
  expect(await approve(journal, asked, undefined)).toBe(false)

  const again = await askApproval(journal, wanted, 0)
  expect(await approve(journal, again, 'Ada')).toBe(true)
  expect(await takeApproval(journal, wanted, HOUR_MS)).toBeUndefined()
  expect(await takeApproval(journal, wanted, 1)).toBeUndefined()
})

test('a file that another process has not written to its end stays, and is removed after an hour', async () => {
  const journal = newJournalPath()
  const { code } = await askApproval(journal, wanted)
  const path = join(`${journal}.approvals`, `${code}.asked`)
  const whole = readFileSync(path, 'utf8')
  for (const half of ['', whole.slice(0, -5)]) {
    writeFileSync(path, half)
    expect(await takeApproval(journal, wanted)).toBeUndefined()
    expect(await askApproval(journal, { ...wanted, category: 'Games' })).toMatchObject({ category: 'Games' })
    writeFileSync(path, whole, { flag: 'r+' })
    expect(await findAsked(journal, code), half).toMatchObject(wanted)
  }
  writeFileSync(path, '')
  const anHourAgo = (Date.now() - HOUR_MS - 1000) / 1000
  utimesSync(path, anHourAgo, anHourAgo)
  expect(await takeApproval(journal, wanted)).toBeUndefined()
  expect(readdirSync(`${journal}.approvals`)).not.toContain(`${code}.asked`)
})

test('a file that is no request counts for nothing, and a folder that cannot be used is an error', async () => {
  const journal = newJournalPath()
  await askApproval(journal, wanted)
  writeFileSync(join(`${journal}.approvals`, 'AAAAAAAA.approved'), '{"code":')
  expect(await takeApproval(journal, wanted)).toBeUndefined()
  const taken = join(mkdtempSync(join(tmpdir(), 'placard-client-')), 'journal.jsonl')
  writeFileSync(`${taken}.approvals`, '')
  await expect(askApproval(taken, wanted)).rejects.toMatchObject({ code: 'journal_unusable' })
})
