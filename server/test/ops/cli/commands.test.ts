import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { recordDecision } from '../../../src/domain/decisions/record.ts'
import { putFinding } from '../../../src/domain/listings/flags.ts'
import { applyEvent } from '../../../src/domain/payments/apply-event.ts'
import { COMMANDS } from '../../../src/ops/cli/cli.ts'
import type { Store } from '../../../src/platform/db/store.ts'
import { SQLITE_FIRST } from '../../support/engines.ts'
import { eventOf, payFor } from '../../support/ledger.ts'
import { operateHere } from '../../support/operate.ts'
import { run } from '../../support/process.ts'
import {
  newCredentials,
  publish,
  publishBody,
  report,
  startTestService,
  type TestService,
} from '../../support/service.ts'

const STORAGE = {
  STORAGE_URL: 's3://board?endpoint=http://127.0.0.1:9',
  AWS_ACCESS_KEY_ID: 'id',
  AWS_SECRET_ACCESS_KEY: 'secret',
}
const WHY = ['--reason', 'because', '--as', 'Ada']

describe.each(SQLITE_FIRST)('the commands on %s', engine => {
  const folder = mkdtempSync(join(tmpdir(), 'placard-commands-'))
  let service: TestService
  let store: Store
  let appealed = ''

  beforeAll(async () => {
    service = await startTestService({ engine })
    store = await service.database.openStore()
    service.clock.now = Date.now()
    for (const host of ['first.com', 'second.com', 'third.com']) await listed(host)
    expect(await report(service, 'first.com')).toBe(303)
    await store.transact(async trx => {
      const { id } = await trx
        .selectFrom('listing')
        .select('id')
        .where('slug', '=', 'first-com')
        .executeTakeFirstOrThrow()
      await putFinding(trx, id, { kind: 'gone', evidence: { status: 404 } }, Date.now())
      const about = { listingId: id, ground: 'rules/content', reason: 'policy', at: Date.now() } as const
      const facts = { statement: 'It is fine.' }
      appealed = await recordDecision(trx, { ...about, kind: 'hide', facts: {}, actor: 'automatic' })
      await recordDecision(trx, { ...about, kind: 'appeal', about: appealed, facts, actor: 'owner' })
    })
    await payFor(store, 'paid.com', 'pi_paid', { amountCents: 3000, at: Date.now() })
    await applyEvent(store, eventOf('paid', 'pi_lost', { checkoutId: 'nobody', occurredAt: Date.now() }), Date.now())
  })
  afterAll(async () => {
    await service.stop()
    rmSync(folder, { recursive: true })
  })

  const placard = (...args: string[]) => operateHere({ ...service.database.env, BASE_URL: service.url }, ...args)
  const credentials = newCredentials()
  const listed = async (host: string) => {
    const body = publishBody(`http://${host}/`)
    expect((await publish(service, host === 'first.com' ? credentials : newCredentials(), body)).status).toBe(201)
  }
  const slugsOf = async (...args: string[]) => {
    const { code, output } = await placard('list', '--json', ...args)
    expect(code).toBe(0)
    return output.split('\n').flatMap(line => (line === '' ? [] : [JSON.parse(line).slug]))
  }

  it('lists the listings of a host, and those in a status', async () => {
    expect(await slugsOf()).toEqual(['paid-com', 'third-com', 'second-com', 'first-com'])
    expect(await slugsOf('--host', 'www.second.com')).toEqual(['second-com'])
    await placard('hide', 'third-com', ...WHY)
    const second = store.db.updateTable('listing').where('slug', '=', 'second-com')
    const { expiresAt } = await store.db
      .selectFrom('listing')
      .select('expiresAt')
      .where('slug', '=', 'second-com')
      .executeTakeFirstOrThrow()
    await second.set({ expiresAt: 1 }).execute()
    expect(await slugsOf('--status', 'unavailable')).toEqual(['third-com'])
    expect(await slugsOf('--status', 'expired')).toEqual(['second-com'])
    expect(await slugsOf('--status', 'published', '--limit', '1')).toEqual(['paid-com'])
    expect(await slugsOf('--status', 'published', '--host', 'second.com')).toEqual([])
    expect((await placard('list', '--host', 'second.com', '--status', 'published')).output).toBe(
      'No listing matches.\n',
    )
    expect(await placard('list', '--status', 'gone')).toEqual({
      code: 2,
      output: expect.stringContaining('--status must be one of published, expired, unavailable'),
    })
    expect((await placard('list', '--host', 'http://second.com')).code).toBe(2)
    await second.set({ expiresAt }).execute()
  })

  it('shows one listing, by its slug or address, and nothing that opens its private page', async () => {
    const shown = JSON.parse((await placard('show', 'first-com', '--json')).output)
    expect(shown).toMatchObject({
      slug: 'first-com',
      url: 'http://first.com/',
      productUrl: `${service.url}/product/first-com`,
      status: 'published',
      paidCents: 0,
      places: {},
      openReports: [{ reason: 'misleading', details: 'It is not so.' }],
      openFindings: [{ kind: 'gone', evidence: { status: 404 } }],
      openAppeals: [{ id: appealed, statement: 'It is fine.' }],
      decisions: [{ kind: 'appeal' }, { kind: 'hide', actor: 'automatic' }, { kind: 'report' }],
    })
    const receipt = (await publish(service, credentials, publishBody('http://first.com/'))).body
    const [privatePath = ''] = (receipt.ownership.privateRecoveryUrl ?? '').split('/').slice(-1)
    const { output } = await placard('show', `${service.url}/product/first-com`)
    for (const text of [JSON.stringify(shown), output]) {
      expect(privatePath.length).toBeGreaterThan(20)
      expect(text).not.toContain(privatePath.slice(0, 20))
      expect(text).not.toContain(credentials.secret)
      expect(text).not.toMatch(/hash/i)
    }
    expect(output).toContain(`appeal      ${appealed}  hide: policy\n`)
    await store.db
      .insertInto('site_owner')
      .values({
        listingId: 4,
        place: 'dns_txt',
        tokenHash: 'secret',
        provenAt: Date.now(),
        checkAt: 0,
        missingSince: null,
      })
      .execute()
    const sourceUrl = 'http://paid.com/i.png'
    await store.db.updateTable('picture').set({ sourceUrl }).where('listingId', '=', 4).execute()
    const paid = JSON.parse((await placard('show', 'https://paid.com/', '--json')).output)
    expect(paid).toMatchObject({
      slug: 'paid-com',
      paidCents: 3000,
      countsCents: 3000,
      places: { all: { rank: 1, totalCents: 3000 } },
      owner: { place: 'dns_txt' },
      picture: { sourceUrl },
    })
    // What belongs to others is not shown.
    expect(paid).not.toHaveProperty('approval')
    expect(JSON.parse((await placard('show', 'second-com', '--json')).output)).not.toHaveProperty('owner')
    const lines = (await placard('show', 'paid-com')).output
    expect(lines).toMatch(/^rank +no\. 1 of "all"/m)
    expect(lines).toMatch(/^paid +\$\d+\.00 in 1 payment, of which/m)
    expect(await placard('show', 'none-com')).toEqual({
      code: 1,
      output: 'placard: there is no listing "none-com"; "list" shows the slugs\n',
    })
  })

  it('cut neither a reason, which an owner reads, nor a note', async () => {
    const refused = (option: string, max: number) => ({
      code: 2,
      output: expect.stringContaining(`placard: ${option} is longer than ${max} characters; `),
    })
    expect(await placard('hide', 'first-com', '--reason', 'x'.repeat(501))).toEqual(refused('--reason', 500))
    expect(await placard('pick', 'first-com', '--note', 'x'.repeat(301), '--as', 'Ada')).toEqual(refused('--note', 300))
    const { output } = await placard('show', 'first-com', '--json')
    expect(JSON.parse(output)).toMatchObject({ status: 'published', decisions: [{}, {}, {}] })
  })

  it.each(['backup', 'export'])('%s to object storage is refused, as it would write to folders here', async command => {
    for (const address of ['s3://my-bucket/board?region=eu-1', 's3:my-bucket', 'https://s3.example.org/b']) {
      expect(await placard(command, address)).toEqual({
        code: 2,
        output: expect.stringMatching(/^placard: \w+ writes to this machine only; set BACKUP_TO for object storage; /),
      })
    }
  })

  it('print lines of JSON with --json, each of them', async () => {
    const env = { ...service.database.env, BASE_URL: service.url, PORT: new URL(service.url).port }
    const elsewhere = (name: string) => ({ DATA_DIR: join(folder, name), DATABASE_URL: '' })
    /** In an order in which each has something to do. */
    const lines: [name: string, args: string[], at?: Record<string, string>][] = [
      ['list', []],
      ['show', ['first-com']],
      ['hide', ['first-com', ...WHY]],
      ['restore', ['first-com', ...WHY]],
      ['end', ['first-com', ...WHY]],
      ['extend', ['first-com', ...WHY]],
      ['block', ['evil.com', ...WHY]],
      ['blocks', []],
      ['unblock', ['evil.com', ...WHY]],
      ['reissue-link', ['first-com', ...WHY]],
      ['pick', ['first-com', '--note', 'Good.', '--as', 'Ada']],
      ['unpick', ['first-com', ...WHY]],
      ['exclude', ['first-com', ...WHY]],
      ['include', ['first-com', ...WHY]],
      ['reports', []],
      ['settle', ['1', ...WHY]],
      ['findings', []],
      ['settle-finding', ['1', ...WHY]],
      ['review-again', ['first-com'], { FETCH_CONNECT_TO: service.sites.connectTo }],
      ['appeals', []],
      ['decide-appeal', [appealed, 'uphold', ...WHY]],
      ['console-invite', ['Ida']],
      ['console-users', []],
      ['console-remove', ['Ida']],
      ['console-link', ['Ada']],
      ['console-end', ['Ada']],
      ['console-invite', ['Ada', '--role', 'admin']],
      ['console-users', []],
      ['console-remove', ['Ada']],
      ['settings', []],
      ['audit', ['verify']],
      ['log', ['show']],
      ['log', ['recover']],
      ['payments', ['--unplaced']],
      ['settle-payment', ['pi_lost', ...WHY]],
      ['reconcile', []],
      ['jobs', []],
      // No listing has a picture, so no request is made.
      ['pictures', ['move', '--to', 'storage'], STORAGE],
      ['settings', []],
      ['migrate', ['--check']],
      ['backup', [join(folder, 'backup')]],
      ['export', [join(folder, 'export')]],
      ['change-key', []],
      ['doctor', []],
      ['restore-backup', [join(folder, 'backup')], elsewhere('restored')],
      ['import', [join(folder, 'export')], elsewhere('imported')],
    ]
    const { output: help } = await placard('help')
    const names = [...help.matchAll(/^ {2}([a-z-]+) /gm)].map(([, name]) => name)
    // What a command does is wrapped, in one column.
    expect(Math.max(...help.split('\n').map(line => line.length))).toBeLessThanOrEqual(100)
    const joined = help.replace(/\n {33}(?! )/g, ' ').replace(/ {2,}/g, ' ')
    for (const { does } of COMMANDS) expect(joined).toContain(` ${does}\n`)
    // `serve` runs until it is stopped.
    const others = ['help', 'serve']
    expect(names.filter(name => !others.includes(name ?? '') && !lines.some(([named]) => named === name))).toEqual([])
    for (const [name, args, at = {}] of lines) {
      const { code, output } = await operateHere({ ...env, ...at }, name, ...args, '--json')
      const printed = output.split('\n').filter(line => line !== '' && !line.startsWith('placard: '))
      const isJson = printed.map(line => typeof JSON.parse(line) === 'object')
      expect([name, output, code, isJson.length > 0]).toEqual([name, output, name === 'doctor' ? code : 0, true])
    }
  })
})

it('a command whose database then cannot be closed names both errors', { tags: ['programs'] }, async () => {
  const service = await startTestService()
  const broken = `import { createRequire } from 'node:module'
    createRequire(process.cwd() + '/package.json')('better-sqlite3').prototype.close = () => {
      throw new Error('disk I/O error')
    }`
  const nodeArgs = ['--import', `data:text/javascript,${encodeURIComponent(broken)}`]
  const args = ['hide', 'none', '--reason', 'why']
  const { output, ended } = run('server/bundled/placard.js', args, service.database.env, { nodeArgs })
  expect([await ended, output()]).toEqual([
    1,
    'placard: there is no listing "none"; "list" shows the slugs; then it failed to close: disk I/O error\n',
  ])
  await service.stop()
})
