import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { groundOf } from '../../../src/domain/decisions/grounds.ts'
import { verifyLog } from '../../../src/domain/log/verify.ts'
import { configFrom } from '../../../src/platform/config/config.ts'
import { migrateTo } from '../../../src/platform/db/migrate.ts'
import { openPostgres } from '../../../src/platform/db/postgres.ts'
import { openSqlite } from '../../../src/platform/db/sqlite.ts'
import { logNow } from '../../support/all-logged.ts'
import { ENGINES, emptyDatabase } from '../../support/engines.ts'
import { NOON } from '../../support/service.ts'

it.each(ENGINES)('the audit log of 0.1.0 becomes decisions and entries of the log, all of it, on %s', async engine => {
  const database = await emptyDatabase(engine)
  const { databaseUrl, dataDir } = configFrom(database.env)
  const old = databaseUrl ? openPostgres(databaseUrl, { patient: true }) : openSqlite(dataDir, { patient: true })
  await migrateTo(old.db, engine, '0005')
  await sql`
    insert into listing (id, slug, "destinationKey", url, hostname, category, title, description, "siteName", language,
      "publishedAt", "hiddenAt", "hiddenBy", "hiddenReason")
    values (1, 'one-com', '2:one.com', 'http://one.com/', 'one.com', 'Games', 't', 'd', 's', 'en', ${NOON}, ${NOON},
      'operator', 'why')`.execute(old.db)
  const attempt = (id: string, state: string, code: string | null, reason: string | null) =>
    sql`
    insert into attempt ("requestId", "idempotencyKey", "secretHash", fingerprint, hostname, "clientHash", day, "nthOfDay",
      "nthOfClient", "nthOfHostname", state, code, reason, "createdAt", "settledAt")
    values (${id}, ${id}, 'a', 'b', 'one.com', ${id}, '2026-11-21', ${Number(id.at(-1))}, 1, ${Number(id.at(-1))}, ${state},
      ${code}, ${reason}, ${NOON}, ${NOON})`.execute(old.db)
  await attempt('attempt-1', 'published', null, null)
  await attempt('attempt-2', 'rejected', 'review_rejected', 'adult_content')
  await attempt('attempt-3', 'rejected', 'destination_already_listed', null)
  await attempt('attempt-4', 'reviewing', null, null)
  await sql`insert into claim (id, "listingId", "requestId", "approvalScope", "rulesVersion", "approvedAt",
      "destinationAsSent", "linkVersion", "ownerTokenHash")
    values ('claim', 1, 'attempt-1', 's', 'v', ${NOON}, 'http://one.com', 1, 'h')`.execute(old.db)
  const acts = ['refresh', 'category', 'renew', 'withdraw', 'restore', 'settle_report', 'hide']
  // More than one batch.
  for (let each = 0; each < 80; each++) {
    for (const [index, action] of acts.entries()) {
      const actor = index < 4 ? 'owner' : 'operator'
      await sql`insert into audit_event ("listingId", action, actor, reason, at)
        values (1, ${action}, ${actor}, ${`${action} ${each}`}, ${NOON + each})`.execute(old.db)
    }
  }
  await old.close()

  const store = await database.openStore()
  const decisions = await store.db.selectFrom('decision').selectAll().orderBy('id').execute()
  expect(decisions).toHaveLength(7 * 80 + 3)
  const moved = decisions.filter(({ requestId }) => requestId === null)
  expect(moved.slice(0, 7).map(({ kind, actor, reason, facts }) => [kind, actor, reason, facts])).toEqual([
    ['refresh', 'owner', 'by_owner', '{"explanation":"refresh 0"}'],
    ['category', 'owner', 'by_owner', '{"explanation":"category 0"}'],
    ['renew', 'owner', 'by_owner', '{"explanation":"renew 0"}'],
    ['hide', 'owner', 'withdrawn', '{"explanation":"withdraw 0"}'],
    ['restore', 'operator:operator', 'restored', '{"explanation":"restore 0"}'],
    ['settle', 'operator:operator', 'settled', '{"explanation":"settle_report 0"}'],
    ['hide', 'operator:operator', 'policy', '{"explanation":"hide 0"}'],
  ])
  // In their old order.
  expect(moved.map(({ facts }) => facts).at(-1)).toBe('{"explanation":"hide 79"}')
  const submissions = decisions.filter(({ requestId }) => requestId !== null)
  expect(submissions.map(({ id, kind, reason, listingId }) => [id, kind, reason, listingId])).toEqual([
    ['attempt-1', 'accept', 'passed_review', 1],
    ['attempt-2', 'refuse', 'adult_content', null],
    ['attempt-3', 'refuse', 'destination_already_listed', null],
  ])
  for (const { ground } of decisions) expect(groundOf(ground).text).toMatch(/\w/)
  expect(await logNow(store)).toBe(564)
  const verified = await verifyLog(store, NOON)
  expect(verified).toMatchObject({ entries: 564, decisions: 563 })
  expect(verified.fault).toBeUndefined()
  await database.remove()
})
