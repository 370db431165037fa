// @module-tag slow
import { rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hideListing, restoreListing } from '../../../src/domain/moderation/moderate.ts'
import { applyEvent } from '../../../src/domain/payments/apply-event.ts'
import { daysMs } from '../../../src/platform/lib/time.ts'
import { SQLITE_FIRST } from '../../support/engines.ts'
import { eventOf, payFor } from '../../support/ledger.ts'
import { run } from '../../support/process.ts'
import { NOON, newCredentials, publish, publishBody, type TestService } from '../../support/service.ts'
import { createLoggedSite, type LoggedSite } from './logged-site.ts'

describe.each(SQLITE_FIRST)('verify board of the client, on %s', { tags: ['programs'] }, engine => {
  let site: LoggedSite
  let service: TestService
  const folder = join(tmpdir(), `verify-board-${engine}-${process.pid}`)
  beforeAll(async () => {
    site = await createLoggedSite(engine)
    service = await site.start()
  })
  afterAll(async () => {
    await site.remove()
    rmSync(folder, { recursive: true, force: true })
  })

  async function verify(...more: string[]) {
    const words = ['verify', 'board', '--service', service.url, '--journal', join(folder, 'journal.jsonl'), '--json']
    const { ended, output } = run('client/dist/cli.js', [...words, ...more], {})
    const code = await ended
    const said = JSON.parse(output()) as { differences: { kind: string }[]; log?: { entries: number } }
    return { code, kinds: said.differences?.map(({ kind }) => kind), said }
  }

  const slugOf = async (host: string) =>
    (await site.store.db.selectFrom('listing').select('slug').where('hostname', '=', host).executeTakeFirstOrThrow())
      .slug

  let acts = 0
  /** Something that changes a board, always another. */
  async function happen(nth: number): Promise<void> {
    const [host, other] = [`shop-${nth % 11}.com`, `shop-${(nth * 7) % 11}.com`]
    const at = NOON - daysMs(nth % 5) + nth
    const id = `pi_${acts++}`
    await payFor(site.store, host, id, { amountCents: 500 + 100 * (nth % 13), at, heardAt: NOON })
    if (nth % 3 === 0) await applyEvent(site.store, eventOf('refunded', id, { amountCents: 200 }), NOON)
    if (nth % 4 === 0) await applyEvent(site.store, eventOf('disputed', id, { occurredAt: at + 1 }), NOON)
    if (nth % 8 === 0) await applyEvent(site.store, eventOf('dispute_won', id, { occurredAt: at + 2 }), NOON)
    if (nth % 5 === 0) await hideListing(site.store, await slugOf(host), 'test', NOON)
    if (nth % 6 === 0 && nth > 11) await restoreListing(site.store, await slugOf(other), 'test', NOON).catch(() => {})
  }

  it('agrees after payments, refunds, disputes and hidden listings on several days', async () => {
    for (let nth = 1; nth <= 60; nth++) await happen(nth)
    const { said, code } = await verify('--key', site.vkey)
    expect(said.differences).toEqual([])
    expect(code).toBe(0)
    expect(said.log?.entries).toBeGreaterThan(100)
  })

  it('agrees while all of it goes on', async () => {
    let isOver = false
    const going = (async () => {
      for (let nth = 61; nth <= 160 && !isOver; nth++) await happen(nth)
    })()
    const { said, code } = await verify()
    isOver = true
    await going
    expect(said.differences).toEqual([])
    expect(code).toBe(0)
  })

  it('verifies the proof that a submission gets, with the service and then offline', async () => {
    const credentials = newCredentials()
    const host = 'sunrise-bakery.com'
    expect((await publish(service, credentials, publishBody(`http://${host}/`))).status).toBe(201)
    const headers = { 'x-submission-secret': credentials.secret }
    const proof = `${service.url}/api/v1/agent/submissions/${credentials.key}/proof`
    await expect.poll(async () => (await fetch(proof, { headers })).status).toBe(200)
    const file = join(folder, 'receipt.tlog-proof')
    writeFileSync(file, await (await fetch(proof, { headers })).text())
    const words = ['verify', 'receipt', file, '--journal', join(folder, 'journal.jsonl'), '--json']
    for (const more of [['--service', service.url], []]) {
      const { ended, output } = run('client/dist/cli.js', [...words, ...more], {})
      expect([await ended, JSON.parse(output())]).toMatchObject([
        0,
        { agrees: true, entry: { kind: 'listed' }, private: { kind: 'accept', url: `http://${host}/` } },
      ])
    }
  })

  it('finds a total that was changed in the database, on each board', async () => {
    const day = new Date(NOON - daysMs(2)).toISOString().slice(0, 10)
    const change = (board: string, by: number) =>
      site.store.db
        .updateTable('board_total')
        .set(({ eb }) => ({ totalCents: eb('totalCents', '+', by) }))
        .where('board', '=', board)
        .where('shown', '=', 1)
        .execute()
    await change(day, 1)
    const { kinds, code } = await verify('--wait', '3')
    expect([code, new Set(kinds)]).toEqual([1, new Set(['place_wrong'])])
    await change(day, -1)
    expect((await verify()).code).toBe(0)
  })
})
