import { BOARDS_PATH, type BoardPage, DISPLAY_DAYS } from '@placard/contract'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { operatorNamed } from '../../src/domain/decisions/record.ts'
import { featureListing } from '../../src/domain/featured/feature.ts'
import { endListing, extendListing } from '../../src/domain/moderation/end-dates.ts'
import { hideListing, restoreListing } from '../../src/domain/moderation/moderate.ts'
import { applyEvent } from '../../src/domain/payments/apply-event.ts'
import type { Store } from '../../src/platform/db/store.ts'
import { DAY_MS, daysMs, MINUTE_MS, utcDay } from '../../src/platform/lib/time.ts'
import { type EmptyDatabase, migratedDatabase, SQLITE_FIRST } from '../support/engines.ts'
import { eventOf, openTestCheckout, payFor } from '../support/ledger.ts'
import { listingRow } from '../support/listing-row.ts'
import { NOON, startTestService, type TestService } from '../support/service.ts'

// Home, pages of listings and boards as data are kept as bytes. Here, a third process changes the database under two
// instances that have kept them.

describe.each(SQLITE_FIRST)('what two instances on %s have kept is never old', engine => {
  let database: EmptyDatabase
  let instances: TestService[]
  let store: Store
  beforeEach(async () => {
    database = await migratedDatabase(engine)
    const options = { engine, database, jobsEveryMs: 0 }
    instances = [await startTestService(options), await startTestService(options)]
    store = await database.openStore()
  })
  afterEach(async () => {
    for (const instance of instances) {
      await instance.stop()
      await instance.sites.close()
    }
    await database.remove()
  })

  /** Asks both instances, each twice: the second reply was kept unless something changed in between. */
  async function asked<Answer>(path: string, answerOf: (status: number, body: string) => Answer): Promise<Answer> {
    const answers: Answer[] = []
    for (const { url } of [...instances, ...instances]) {
      const reply = await fetch(url + path, { headers: { accept: 'text/html' } })
      answers.push(answerOf(reply.status, (await reply.text()).replaceAll(url, '')))
    }
    expect(answers).toEqual(Array(4).fill(answers[0]))
    return answers[0] as Answer
  }
  const textOf = (path: string) =>
    asked(path, (status, html) => `${status} ${html.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ')}`)
  const board = (name: string) =>
    asked(`${BOARDS_PATH}/${name}`, (_, json) => {
      const { day, entries } = JSON.parse(json) as BoardPage
      return [day, ...entries.map(({ rank, title, totalCents }) => `${rank} ${title} ${totalCents}`)]
    })
  const add = (slug: string, fields: Partial<Parameters<typeof listingRow>[0]> = {}) =>
    store.transact(trx =>
      trx
        .insertInto('listing')
        .values(listingRow({ slug, ...fields }))
        .execute(),
    )
  const setClock = (now: number) => {
    for (const { clock } of instances) clock.now = now
  }
  const today = utcDay(NOON)

  test('a payment, a refund and a dispute: totals, ranks, and what the next place costs', async () => {
    await add('free')
    await payFor(store, 'oak.com', 'pi_1', { amountCents: 5000 })
    expect(await board('all')).toEqual([null, '1 oak.com 5000'])
    expect(await textOf('/')).toMatch(/No\. 1 all time \$50 /)
    expect(await textOf('/product/free')).toContain('Move this site to No. 2 for $5')
    const checkout = await openTestCheckout(store, 'elm.com', 'stripe', 'Games', 6000)
    await applyEvent(store, eventOf('paid', 'pi_2', { checkout, amountCents: 6000 }), NOON)
    expect(await board('all')).toEqual([null, '1 elm.com 6000', '2 oak.com 5000'])
    expect(await board('today?limit=1')).toEqual([today, '1 elm.com 6000'])
    expect(await textOf('/')).toMatch(/No\. 1 all time \$60 .*elm\.com took No\. 1 on/)
    expect(await textOf('/product/oak-com')).toContain('All time No. 2 $50 paid')
    expect(await textOf('/product/oak-com')).toContain('Move this site to No. 1 for $11')
    expect(await textOf('/product/free')).toContain('Move this site to No. 3 for $5')
    await applyEvent(store, eventOf('refunded', 'pi_2', { amountCents: 2000 }), NOON)
    expect(await board('all')).toEqual([null, '1 oak.com 5000', '2 elm.com 4000'])
    expect(await textOf('/')).toMatch(/No\. 1 all time \$50 /)
    expect(await textOf('/')).not.toMatch(/elm\.com took/)
    expect(await textOf('/product/elm-com')).toContain('Move this site to No. 1 for $11')
    await applyEvent(store, eventOf('disputed', 'pi_1', { amountCents: 5000 }), NOON)
    expect(await board('today')).toEqual([today, '1 elm.com 4000'])
    expect(await textOf('/product/oak-com')).not.toContain('$50')
    expect(await textOf('/product/elm-com')).toContain('All time No. 1 $40 paid')
  })

  test('a listing that is hidden, restored, changed, ended and extended', async () => {
    await add('near', { title: 'Neighbour' })
    await add('tea', { title: 'Tea house' })
    await payFor(store, 'oak.com', 'pi_1', { amountCents: 5000 })
    for (const path of ['/', '/product/near', '/product/tea']) expect(await textOf(path)).toMatch(/^200 .*Tea house/)
    await hideListing(store, 'tea', 'Why', NOON)
    expect(await textOf('/product/tea')).toMatch(/^410 (?!.*Tea house)/)
    for (const path of ['/', '/product/near']) expect(await textOf(path)).toMatch(/^200 (?!.*Tea house)/)
    await restoreListing(store, 'tea', 'Why', NOON)
    for (const path of ['/', '/product/near', '/product/tea']) expect(await textOf(path)).toMatch(/^200 .*Tea house/)
    await hideListing(store, 'oak-com', 'Why', NOON)
    expect(await board('all')).toEqual([null])
    expect(await textOf('/')).not.toContain('oak.com')
    await restoreListing(store, 'oak-com', 'Why', NOON)
    expect(await board('all')).toEqual([null, '1 oak.com 5000'])

    const change = (fields: object) =>
      store.transact(trx => trx.updateTable('listing').set(fields).where('slug', '=', 'tea').execute())
    await change({ title: 'Coffee house', updatedAt: NOON })
    for (const path of ['/', '/product/near', '/product/tea']) expect(await textOf(path)).toContain('Coffee house')
    await featureListing(store, 'pick', 'tea', { name: 'Ann', words: 'So warm', at: NOON })
    expect(await textOf('/')).toContain('So warm')
    await endListing(store, 'tea', 'Why', NOON, { actor: operatorNamed('ann') })
    expect(await textOf('/product/tea')).toMatch(/^410 /)
    for (const path of ['/', '/product/near']) expect(await textOf(path)).not.toContain('Coffee house')
    await extendListing(store, 'tea', 1, 'Why', NOON, { actor: operatorNamed('ann') })
    for (const path of ['/', '/product/near', '/product/tea']) expect(await textOf(path)).toContain('Coffee house')
  })

  test('a listing that ends by itself, to the millisecond, also in the pages of others', async () => {
    const endsAt = NOON + MINUTE_MS / 2
    await add('tea', { title: 'Tea house', publishedAt: endsAt - daysMs(DISPLAY_DAYS), expiresAt: endsAt })
    await add('near', { title: 'Neighbour' })
    const paths = ['/', '/product/near', '/product/tea']
    for (const now of [NOON, endsAt - 1]) {
      setClock(now)
      for (const path of paths) expect(await textOf(path)).toMatch(/^200 .*Tea house/)
    }
    setClock(endsAt)
    for (const path of ['/', '/product/near']) expect(await textOf(path)).toMatch(/^200 (?!.*Tea house)/)
    expect(await textOf('/product/tea')).toMatch(/^410 /)
    // As after a correction of the clock.
    setClock(endsAt - 1)
    for (const path of paths) expect(await textOf(path)).toMatch(/^200 .*Tea house/)
  })

  test('midnight ends the board of today', async () => {
    await payFor(store, 'oak.com', 'pi_1', { amountCents: 5000 })
    const midnight = NOON + DAY_MS / 2
    setClock(midnight - 1)
    expect(await board('today')).toEqual([today, '1 oak.com 5000'])
    expect(await textOf('/product/oak-com')).toMatch(/Today No\. 1 \$50 paid/)
    expect(await textOf('/')).toMatch(/No\. 1 today \$50/)
    setClock(midnight)
    expect(await board('today')).toEqual([utcDay(midnight)])
    expect(await textOf('/product/oak-com')).not.toMatch(/Today No\. 1/)
    expect(await textOf('/')).not.toMatch(/No\. 1 today/)
    expect(await board('all')).toEqual([null, '1 oak.com 5000'])
  })
})
