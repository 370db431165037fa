import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { applyEvent } from '../../../src/domain/payments/apply-event.ts'
import { allLogged, announceKey, checkpointNow } from '../../support/all-logged.ts'
import { type EmptyDatabase, emptyDatabase, migratedDatabase, SQLITE_FIRST } from '../../support/engines.ts'
import { eventOf, ledgerOf, openTestCheckout } from '../../support/ledger.ts'
import { operateHere } from '../../support/operate.ts'
import {
  NOON,
  newCredentials,
  publish,
  publishBody,
  startTestService,
  type TestService,
} from '../../support/service.ts'
import { startSites } from '../../support/sites.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'placard-backup-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe.each(SQLITE_FIRST)('an old backup on %s', engine => {
  it('hears of what was paid since when the events are sent again, and counts each once', async () => {
    const [database, other] = [await migratedDatabase(engine), await emptyDatabase(engine)]
    Object.assign(other.env, { SERVICE_KEY: database.env.SERVICE_KEY })
    try {
      const store = await database.openStore()
      const [early, late] = [await openTestCheckout(store, 'early.com'), await openTestCheckout(store, 'late.com')]
      const paidEarly = eventOf('paid', 'pi_early', { checkout: early })
      const paidLate = eventOf('paid', 'pi_late', { checkout: late, amountCents: 4000 })
      await applyEvent(store, paidEarly, NOON)
      expect(await operateHere(database.env, 'backup', join(folder, 'old'))).toMatchObject({ code: 0 })
      const newer = await openTestCheckout(store, 'newer.com')
      const since = [paidLate, eventOf('refunded', 'pi_early', { checkout: early, amountCents: 500 })]
      for (const event of since) await applyEvent(store, event, NOON)
      const ledger = await ledgerOf(store)

      expect(await operateHere(other.env, 'restore-backup', join(folder, 'old'))).toMatchObject({ code: 0 })
      const restored = await other.openStore()
      expect(await ledgerOf(restored)).not.toEqual(ledger)
      for (const event of [...since.toReversed(), paidEarly, ...since]) await applyEvent(restored, event, NOON)
      expect(await ledgerOf(restored)).toEqual(ledger)
      await applyEvent(restored, eventOf('paid', 'pi_newer', { checkout: newer }), NOON)
      const { output } = await operateHere(other.env, 'payments', '--unplaced')
      expect(output).toContain('unknown_checkout')
    } finally {
      await Promise.all([database.remove(), other.remove()])
    }
  })
})

it('an old backup replays its receipts with keys changed since, and accepts again what came later', async () => {
  const [database, other] = [await migratedDatabase('sqlite'), await emptyDatabase('sqlite')]
  const sites = await startSites()
  const start = (at: EmptyDatabase) =>
    startTestService({ database: at, sites, env: { BASE_URL: 'http://127.0.0.1:1' } })
  const hosts = (when: string) => [1, 2, 3].map(nth => ({ credentials: newCredentials(), host: `${when}-${nth}.com` }))
  const send = async (service: TestService, submissions: ReturnType<typeof hosts>) => {
    const replies = []
    for (const { credentials, host } of submissions) {
      const { status, body } = await publish(service, credentials, publishBody(`http://${host}/`))
      replies.push({ status, body })
    }
    return replies
  }
  const [early, late] = [hosts('early'), hosts('late')]
  try {
    const live = await start(database)
    const store = await database.openStore()
    await announceKey(store)
    const earlyReplies = await send(live, early)
    await allLogged(store)
    expect(await operateHere(database.env, 'backup', join(folder, 'old'))).toMatchObject({ code: 0 })
    await live.stop()
    expect(await operateHere(database.env, 'change-key')).toMatchObject({ code: 0 })
    const changed = await start(database)
    const lateReplies = await send(changed, late)
    await allLogged(store)
    const checkpoint = join(folder, 'checkpoint')
    writeFileSync(checkpoint, await checkpointNow(store))
    await changed.stop()

    copyFileSync(join(database.dataDir, 'service.key'), join(other.dataDir, 'service.key'))
    const restoring = await operateHere(other.env, 'restore-backup', join(folder, 'old'))
    expect(restoring.output).toMatch(/a backup of \d{4}-.*Changes made after the backup are missing/s)
    expect(restoring.code).toBe(0)
    expect((await operateHere(other.env, 'audit', 'verify')).code).toBe(0)
    const behind = await operateHere(other.env, 'audit', 'verify', '--checkpoint', checkpoint)
    expect([behind.code, behind.output]).toEqual([1, expect.stringContaining('does not contain the checkpoint')])
    const restored = await start(other)
    expect(await send(restored, early)).toEqual(earlyReplies.map(({ body }) => ({ status: 200, body })))
    const again = await send(restored, late)
    expect(again.map(({ status }) => status)).toEqual([201, 201, 201])
    const links = [...lateReplies, ...again].map(({ body }) => body.ownership.privateRecoveryUrl)
    expect(new Set(links).size).toBe(6)
    await restored.stop()
  } finally {
    await Promise.all([sites.close(), database.remove(), other.remove()])
  }
})
