import { CompiledQuery } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { checkFollowedPages } from '../../../src/ops/jobs/check-followed-pages.ts'
import type { JobDependencies } from '../../../src/ops/jobs/job.ts'
import { notifyOwners } from '../../../src/ops/jobs/notify-owners.ts'
import { createFetchers } from '../../../src/parts.ts'
import { configFrom } from '../../../src/platform/config/config.ts'
import type { Store } from '../../../src/platform/db/store.ts'
import { Links } from '../../../src/platform/http/links.ts'
import { DAY_MS } from '../../../src/platform/lib/time.ts'
import { type EmptyDatabase, ENGINES, migratedDatabase } from '../../support/engines.ts'
import { listingRow } from '../../support/listing-row.ts'
import { NOON } from '../../support/service.ts'
import { type Sites, startSites } from '../../support/sites.ts'

describe.each(ENGINES)('followed listings on %s', engine => {
  let database: EmptyDatabase
  let store: Store
  let sites: Sites
  let fetchers: JobDependencies['fetchers']
  const clock = () => NOON
  const signal = new AbortController().signal
  const visited = () => sites.visits('hidden.com')
  const checkAt = async () => (await store.db.selectFrom('watch').select('checkAt').executeTakeFirstOrThrow()).checkAt

  beforeAll(async () => {
    database = await migratedDatabase(engine)
    store = await database.openStore()
    sites = await startSites()
    const config = configFrom({ ...database.env, FETCH_CONNECT_TO: sites.connectTo, BASE_URL: 'http://placard.test' })
    fetchers = createFetchers(config, new Links(config), { warn() {} })
    await store.transact(async trx => {
      const { id: listingId } = await trx
        .insertInto('listing')
        .values({ ...listingRow({ slug: 'hidden', url: 'http://hidden.com/' }), hiddenAt: NOON })
        .returning('id')
        .executeTakeFirstOrThrow()
      const feed = { feedHash: 'f', feedNonce: 'n', feedKeyCheckValue: 'k', feedLinkVersion: 1 }
      await trx
        .insertInto('watch')
        .values({ listingId, ...feed, checkAt: NOON, failingSince: null, endTold: null })
        .execute()
    })
  })
  afterAll(async () => {
    await database.remove()
    await sites.close()
  })

  it('that are hidden are considered once a day: while they stayed due, each second would read all of them', async () => {
    await checkFollowedPages.start({ fetchers, clock })({ store, signal, isFirst: true })
    expect({ visited: visited(), checkAt: await checkAt() }).toEqual({ visited: 0, checkAt: NOON + DAY_MS })
    await store.transact(trx => trx.updateTable('listing').set({ hiddenAt: null }).execute())
    const nextDay = () => NOON + DAY_MS
    await checkFollowedPages.start({ fetchers, clock: nextDay })({ store, signal, isFirst: true })
    expect({ visited: visited(), checkAt: await checkAt() }).toEqual({ visited: 1, checkAt: NOON + 2 * DAY_MS })
  })

  // PostgreSQL's plan depends on the size of the tables.
  test.runIf(engine === 'sqlite')('are compared in batches, none of which reads all of them', async () => {
    const plans: string[] = []
    const watched: Store = {
      ...store,
      executeQuery: async query => {
        const explain = CompiledQuery.raw(`explain query plan ${query.sql}`, [...query.parameters])
        const { rows } = await store.executeQuery<{ detail: string }>(explain)
        plans.push(rows.map(({ detail }) => detail).join('\n'))
        return store.executeQuery(query)
      },
    }
    await notifyOwners.start({ clock })({ store: watched, signal, isFirst: true })
    const ofFollowed = plans.filter(plan => plan.includes('SEARCH watch') && plan.includes('SEARCH total'))
    expect(ofFollowed.length).toBeGreaterThan(0)
    for (const plan of ofFollowed) {
      expect(plan).toContain('(listingId>?)')
      const steps = plan.split('\n').filter(step => step !== 'SCAN followed')
      expect(steps.filter(step => step.startsWith('SCAN') || step.startsWith('LIST SUBQUERY'))).toEqual([])
    }
    const [any] = plans
    expect(any).toMatch(/SEARCH watch USING COVERING INDEX/)
    expect(any).not.toMatch(/LIST SUBQUERY/)
  })
})
