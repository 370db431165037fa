import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Store, Trx } from '../../../src/platform/db/store.ts'
import { untilWaiting } from '../../support/locks.ts'
import { startTestService, type TestService } from '../../support/service.ts'
import { openPrivatePage } from '../../web/manage/owner.ts'
import { listedWebsite } from '../../web/own/provers.ts'
import { linkIn, type MailServer, startMailServer } from '../notifications/owner/mail-server.ts'
import { mailed, press } from '../notifications/owner/mailed.ts'

// On PostgreSQL, a write can wait for another one after its visit was checked.
describe('a private link that is replaced during a visit', { tags: ['postgres'] }, () => {
  let server: MailServer
  let service: TestService
  let store: Store
  beforeAll(async () => {
    server = await startMailServer()
    const env = { ...server.env, TRUSTED_PROXIES: '127.0.0.1' }
    service = await startTestService({ engine: 'postgres', env, jobsEveryMs: 100 })
    store = await service.database.openStore()
  })
  afterAll(async () => {
    await service.stop()
    await server.close()
  })

  /** Delays what a thief saves until the owner has another link, or waits for the thief. */
  const during = (
    hold: (trx: Trx) => Promise<unknown>,
    save: () => Promise<unknown>,
    replace: () => Promise<unknown>,
  ) =>
    store.transact(async trx => {
      await hold(trx)
      const saving = save()
      await untilWaiting(store, 1)
      const replacing = replace()
      await Promise.race([replacing, untilWaiting(store, 2)])
      return { saving, replacing }
    })

  it('leaves no mail address of a thief to the owner who renews it', async () => {
    const { link } = await listedWebsite(service)
    const [owner, thief] = [await openPrivatePage(link), await openPrivatePage(link)]
    const { saving, replacing } = await during(
      trx => sql`lock table mail_turn in share mode`.execute(trx),
      () => thief.act('mail', { address: 'thief@example.org', ends: 'yes' }),
      () => owner.act('renew', { confirm: 'yes', link }),
    )
    await Promise.all([saving, replacing])
    expect((await owner.read()).html).toContain('Turn on mail')
    expect((await owner.read()).html).not.toContain('@example.org')
  })

  it('keeps the confirmed address of the owner, whatever a thief confirms', async () => {
    const { privateLink } = await mailed(service, server, 'kept-address.com', 'owner@example.org')
    const [owner, thief] = [await openPrivatePage(privateLink), await openPrivatePage(privateLink)]
    await thief.act('mail', { address: 'robber@example.org' })
    await expect.poll(() => server.to('robber@example.org').length).toBe(1)
    const path = linkIn(server.to('robber@example.org')[0], 'confirm')
    // The job writes to the row of the address once more.
    const planned = store.db.selectFrom('outgoing_mail').select('id').where('kind', '=', 'confirm')
    await expect.poll(() => planned.execute()).toEqual([])
    const { renewing, confirming } = await store.transact(async trx => {
      await sql`select id from owner_mail where "confirmedAt" is null for update`.execute(trx)
      const renewing = owner.act('renew', { confirm: 'yes', link: privateLink })
      await untilWaiting(store, 1)
      const confirming = press(service, path)
      await untilWaiting(store, 2)
      return { renewing, confirming }
    })
    expect((await renewing).status).toBe(200)
    expect((await confirming).status).toBe(403)
    expect((await owner.read()).html).toContain('o…@example.org')
  })

  it('leaves no webhook of a stranger to the owner who proves the website', async () => {
    const { link, newProver, check, listing } = await listedWebsite(service)
    const stranger = await openPrivatePage(link)
    const owner = await newProver()
    const { id } = await listing(store)
    const watch = { listingId: id, feedHash: null, feedNonce: null, feedKeyCheckValue: null, feedLinkVersion: null }
    const { saving, replacing } = await during(
      async trx => {
        await trx
          .insertInto('watch')
          .values({ ...watch, checkAt: null, failingSince: null, endTold: null })
          .execute()
      },
      () => stranger.act('webhook', { address: 'https://stranger.com/' }),
      () => check(owner),
    )
    await saving
    const given = (await replacing) as Awaited<ReturnType<typeof check>>
    const { html } = await (await openPrivatePage(given.link)).read()
    expect(html).toContain('Add a webhook')
    expect(html).not.toContain('stranger.com')
  })
})
