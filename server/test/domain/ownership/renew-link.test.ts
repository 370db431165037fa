import { SUBMISSIONS_PATH } from '@placard/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { restoreListing } from '../../../src/domain/moderation/moderate.ts'
import { SAME_SQL } from '../../support/engines.ts'
import {
  NOON,
  newCredentials,
  publish,
  publishBody,
  startTestService,
  type TestService,
} from '../../support/service.ts'
import { OWN, openPrivatePage } from '../../web/manage/owner.ts'

describe.each(SAME_SQL)('renewing the private link, on %s', engine => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService({ engine, env: { TRUSTED_PROXIES: '127.0.0.1' } })
    // A proof gave somebody the link of another listing. That concerns none of those below.
    const { link } = await publishOne()
    const claimId = new URL(link).pathname.split('/').at(-1) ?? ''
    const renewed = { claimId, linkVersion: 100, keyCheckValue: 'x', nonce: null, byProof: 1 }
    const store = await service.database.openStore()
    await store.transact(trx => trx.insertInto('renewed_link').values(renewed).execute())
    await store.close()
  })
  afterAll(() => service.stop())

  let sites = 0
  async function publishOne() {
    const credentials = newCredentials()
    const body = publishBody(`http://renewed-${++sites}.com/`)
    const receiptNow = async () => (await publish(service, credentials, body)).body
    const linkNow = async () => (await receiptNow()).ownership.privateRecoveryUrl ?? ''
    const { productUrl } = await receiptNow()
    return { link: await linkNow(), slug: productUrl.split('/').at(-1) ?? '', linkNow, credentials }
  }
  const renewal = (link: string) => ({ link, confirm: 'yes' })

  it('ends the old link and every visit that it opened, and gives a new link once', async () => {
    const { link } = await publishOne()
    const [owner, other] = [await openPrivatePage(link), await openPrivatePage(link)]
    const { status, newLink = '', headers } = await owner.act('renew', renewal(link))
    expect(status).toBe(200)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(newLink).toMatch(/^http.*\/manage\/[0-9a-f-]{36}#owner=[\w-]{43}$/)
    expect(newLink.split('#')[0]).toBe(link.split('#')[0])
    expect(newLink).not.toBe(link)

    expect((await openPrivatePage(link)).status).toBe(404)
    expect((await other.read()).html).not.toContain('Published')
    expect((await other.act('withdraw', { confirm: 'yes' })).status).toBe(403)
    expect((await openPrivatePage(newLink)).status).toBe(204)
    const own = await owner.read()
    expect(own.html).toContain('Published')
    expect(own.html).not.toContain(newLink.split('#owner=')[1])
  })

  it('makes a replay return the new link, after each of several renewals', async () => {
    const { link, linkNow, credentials } = await publishOne()
    expect(await linkNow()).toBe(link)
    const seen = [link]
    for (let time = 0; time < 3; time++) {
      const present = seen.at(-1) ?? ''
      const { newLink = '' } = await (await openPrivatePage(present)).act('renew', renewal(present))
      expect(await linkNow()).toBe(newLink)
      seen.push(newLink)
    }
    expect(new Set(seen).size).toBe(4)
    const opened = await Promise.all(seen.map(each => openPrivatePage(each)))
    expect(opened.map(({ status }) => status)).toEqual([404, 404, 404, 204])
    // Nothing was proved, so the submission does not say that it has another owner.
    const headers = { 'x-submission-secret': credentials.secret }
    const state = await (await fetch(`${service.url}${SUBMISSIONS_PATH}/${credentials.key}`, { headers })).json()
    expect(state).toMatchObject({ state: 'published', notice: expect.not.stringContaining('proved') })
  })

  it('lets one of several renewals at once win, whose link is the one that works', async () => {
    const { link, linkNow } = await publishOne()
    const owners = await Promise.all(Array.from({ length: 8 }, () => openPrivatePage(link)))
    const answers = await Promise.all(owners.map(owner => owner.act('renew', renewal(link))))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(403)])
    const won = answers.flatMap(({ newLink }) => newLink ?? [])
    expect(won).toEqual([await linkNow()])
  })

  it.each([
    ['its owner withdrew', { hiddenAt: NOON, hiddenBy: 'owner' as const }],
    ['the operator hid', { hiddenAt: NOON, hiddenBy: 'operator' as const }],
    ['has expired', { expiresAt: NOON }],
  ])('works for a listing that %s, so that restoring it brings no stolen link back', async (_, fields) => {
    const { link, slug, linkNow } = await publishOne()
    const store = await service.database.openStore()
    try {
      await store.transact(trx => trx.updateTable('listing').set(fields).where('slug', '=', slug).execute())
      const { newLink = '' } = await (await openPrivatePage(link)).act('renew', renewal(link))
      expect(await linkNow()).toBe('')
      await restoreListing(store, slug, 'asked for', NOON)
      expect(await linkNow()).toBe(newLink)
    } finally {
      await store.close()
    }
    expect((await openPrivatePage(link)).status).toBe(404)
  })

  it('accepts only this listing’s current link', async () => {
    const { link: old, linkNow } = await publishOne()
    const { link: foreign } = await publishOne()
    const { newLink = '' } = await (await openPrivatePage(old)).act('renew', renewal(old))
    const owner = await openPrivatePage(newLink)
    for (const wrong of [old, foreign, newLink.slice(0, -1), '', 'x\0y']) {
      const answer = await owner.act('renew', renewal(wrong))
      expect(answer.status).toBe(403)
      expect(answer.html).toContain('This is not this listing’s current private link.')
      expect(answer.newLink).toBeUndefined()
    }
    expect(await linkNow()).toBe(newLink)
    expect((await openPrivatePage(foreign)).status).toBe(204)
  })

  it('refuses without confirmation, without a visit, and from another website', async () => {
    const { link, linkNow } = await publishOne()
    const owner = await openPrivatePage(link)
    expect((await owner.act('renew', { link })).status).toBe(400)
    expect((await owner.act('renew', renewal(link), { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    expect((await owner.act('renew', renewal(link), { ...OWN, cookie: 'placard_owner=x' })).status).toBe(403)
    expect(await linkNow()).toBe(link)
  })

  it('is limited to a few times an hour', async () => {
    const { link } = await publishOne()
    const owner = await openPrivatePage(link)
    // Invalid forms do not count.
    for (let time = 0; time < 6; time++) {
      expect((await owner.act('renew', renewal('wrong'))).status).toBe(403)
      expect((await owner.act('renew', { link })).status).toBe(400)
    }
    let present = link
    for (let time = 0; time < 5; time++) {
      present = (await owner.act('renew', renewal(present))).newLink ?? ''
      expect(present).not.toBe('')
    }
    const answer = await owner.act('renew', renewal(present))
    expect(answer.status).toBe(429)
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(3500)
    expect(answer.html).toContain('You have tried too often. Try again in 60 minutes.')
  })

  it('ends after a hundred versions, and is logged; the database holds no link', async () => {
    const { link } = await publishOne()
    const [path, token = ''] = link.split('#owner=')
    const claimId = path?.split('/').at(-1) ?? ''
    const { newLink = '' } = await (await openPrivatePage(link)).act('renew', renewal(link))
    const store = await service.database.openStore()
    try {
      const claim = await store.db.selectFrom('claim').selectAll().where('id', '=', claimId).executeTakeFirstOrThrow()
      expect(claim.linkVersion).toBe(2)
      const stored = JSON.stringify(claim)
      for (const each of [token, newLink.split('#owner=')[1] ?? '']) {
        expect(stored).not.toContain(each)
        expect(stored).not.toContain(Buffer.from(each, 'base64url').toString('hex'))
      }
      const noted = await store.db
        .selectFrom('decision')
        .select(['kind', 'actor'])
        .where('listingId', '=', claim.listingId)
        .where('kind', '<>', 'accept')
        .execute()
      expect(noted).toEqual([{ kind: 'renew', actor: 'owner' }])
      await store.transact(trx =>
        trx.updateTable('claim').set({ linkVersion: 100 }).where('id', '=', claimId).execute(),
      )
    } finally {
      await store.close()
    }
    const last = await (await openPrivatePage(newLink)).act('renew', renewal(newLink))
    expect(last.status).toBe(409)
    expect(last.html).toContain('You can’t renew this link again')
  })
})
