import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { hideListing, restoreListing } from '../../../src/domain/moderation/moderate.ts'
import { applyEvent } from '../../../src/domain/payments/apply-event.ts'
import { reconcile } from '../../../src/domain/payments/reconcile.ts'
import type { Store } from '../../../src/platform/db/store.ts'
import { daysMs, utcDay } from '../../../src/platform/lib/time.ts'
import { type EmptyDatabase, migratedDatabase, SQLITE_FIRST } from '../../support/engines.ts'
import { clearLedger, eventOf, ledgerOf, openTestCheckout } from '../../support/ledger.ts'
import { NOON } from '../../support/service.ts'

const DAYS = 30

describe.each(SQLITE_FIRST)('a listing paid on many days, on %s', engine => {
  let database: EmptyDatabase
  let store: Store
  let slug: string

  beforeAll(async () => {
    database = await migratedDatabase(engine)
    store = await database.openStore()
  })
  afterAll(() => database.remove())
  beforeEach(async () => {
    await clearLedger(store)
    for (let day = 0; day < DAYS; day++) await pay('many.com', `pi_many_${day}`, day)
    await pay('other.com', 'pi_other', 0)
    const listing = store.db.selectFrom('listing').select('slug').where('hostname', '=', 'many.com')
    slug = (await listing.executeTakeFirstOrThrow()).slug
  })

  /** A different amount every day, so that each board has its own nodes. */
  async function pay(host: string, paymentId: string, daysAgo: number, now = NOON) {
    const amountCents = 500 + 100 * daysAgo
    const checkout = await openTestCheckout(store, host, 'stripe', 'Games', amountCents)
    const about = { checkout, occurredAt: now - daysMs(daysAgo), amountCents }
    await applyEvent(store, eventOf('paid', paymentId, about), now)
  }
  const boardsWithout = async () => {
    const rows = await store.db
      .selectFrom('board_total')
      .select('board')
      .where('destinationKey', '=', '2:many.com')
      .where('shown', '=', 0)
      .orderBy('board', 'desc')
      .execute()
    return rows.map(row => row.board)
  }
  const day = (daysAgo: number) => utcDay(NOON - daysMs(daysAgo))
  const differences = async (now = NOON) => (await reconcile(store, now)).differences

  it('leaves the boards that are open when it is hidden, and costs nothing on days that are over', async () => {
    const before = await ledgerOf(store)
    await hideListing(store, slug, 'test', NOON)
    expect(await boardsWithout()).toEqual(['all', day(0), day(1)])
    expect(await differences()).toEqual([])
    await restoreListing(store, slug, 'test', NOON)
    expect(await ledgerOf(store)).toEqual(before)
  })

  it('leaves the current day’s board even if a clock that was ahead dated a payment in the future', async () => {
    await pay('other.com', 'pi_future', 0, NOON + daysMs(400))
    await hideListing(store, slug, 'test', NOON)
    expect(await boardsWithout()).toEqual(['all', day(0), day(1)])
    await restoreListing(store, slug, 'test', NOON)
    expect(await boardsWithout()).toEqual([])
  })

  it('returns on every day when it is restored, even if it was refunded in the meantime', async () => {
    await hideListing(store, slug, 'test', NOON)
    // Recomputes a past day for a hidden listing.
    await applyEvent(store, eventOf('refunded', 'pi_many_20', { amountCents: 1000 }), NOON)
    expect(await boardsWithout()).toEqual(['all', day(0), day(1), day(20)])
    const later = NOON + daysMs(9)
    await pay('other.com', 'pi_later', 0, later)
    expect(await differences(later)).toEqual([])
    await restoreListing(store, slug, 'test', later)
    expect(await boardsWithout()).toEqual([])
    expect(await differences(later)).toEqual([])
    // The newest day that is left had ended when it was hidden.
    await hideListing(store, slug, 'test', later)
    await applyEvent(store, eventOf('refunded', 'pi_later', { amountCents: 500 }), later)
    expect(await differences(later)).toEqual([])
  })

  it('is reported by reconcile if it should have left the current day’s board', async () => {
    await hideListing(store, slug, 'test', NOON)
    await store.db.updateTable('board_total').set({ shown: 1 }).where('board', '=', day(0)).execute()
    expect((await differences()).map(({ what }) => what)).toContain('board total')
    // Even with a clock that is behind.
    expect(await differences(NOON - daysMs(300))).not.toEqual([])
  })
})
