// @module-tag postgres
import { hash } from 'node:crypto'
import { DECISIONS_PATH, SUBMISSIONS_PATH } from '@placard/contract'
import {
  checkpointText,
  isIncluded,
  joinNote,
  leafHash,
  openNote,
  parseCheckpoint,
  parseExtra,
  parseProof,
  signerOf,
} from '@placard/contract/log'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { proofOfRow } from '../../../src/domain/log/proofs.ts'
import { rowsOfOrder } from '../../../src/domain/log/read-log.ts'
import { hideListing, withdrawListing } from '../../../src/domain/moderation/moderate.ts'
import { addReport } from '../../../src/domain/moderation/reports.ts'
import { settleReport } from '../../../src/domain/moderation/settle-reports.ts'
import { applyEvent } from '../../../src/domain/payments/apply-event.ts'
import { SQLITE_FIRST } from '../../support/engines.ts'
import { FIXED_KEYS } from '../../support/keys.ts'
import { eventOf, openTestCheckout } from '../../support/ledger.ts'
import { NOON, newCredentials, publish, publishBody, startTestService } from '../../support/service.ts'
import { sendHtml } from '../../support/sites.ts'

describe.each(SQLITE_FIRST)('proofs on %s', engine => {
  let service: Awaited<ReturnType<typeof startTestService>>
  let store: Awaited<ReturnType<typeof service.database.openStore>>
  let keys: string[] = []
  beforeAll(async () => {
    service = await startTestService({ engine, jobsEveryMs: 100 })
    store = await service.database.openStore()
  })
  afterAll(() => service.stop())

  const get = (path: string, secret = '') =>
    fetch(service.url + path, { headers: { ...(secret && { 'x-submission-secret': secret }) } })

  /** Reads a proof as soon as a checkpoint covers it, and checks it without the service. */
  async function proven(path: string, secret?: string) {
    let text = ''
    await expect
      .poll(async () => {
        const response = await get(path, secret)
        text = await response.text()
        return response.status
      })
      .toBe(200)
    // By then, the page has the key of the checkpoint.
    if (keys.length === 0) {
      const page = await (await get('/proof')).text()
      keys = /id="verifier-keys">([^<]+)</.exec(page)?.[1]?.trim().split('\n') ?? []
    }
    return verified(text)
  }

  function verified(text: string) {
    const { index, hashes, extra, checkpoint } = parseProof(text)
    const { text: signed, signatures } = openNote(checkpoint, keys)
    expect(signatures.length).toBeGreaterThan(0)
    const { size, root } = parseCheckpoint(signed)
    const { entry, salt, private: opened } = parseExtra(extra ?? Buffer.alloc(0))
    expect(isIncluded({ leaf: leafHash(entry), index, size, root, proof: hashes })).toBe(true)
    const fields = JSON.parse(entry) as Record<string, unknown>
    expect(fields.index).toBe(index)
    if (salt === undefined) return { text, fields, opened: undefined }
    const bytes = Buffer.concat([Buffer.from(salt, 'hex'), Buffer.from(opened ?? '')])
    expect(fields.private).toBe(hash('sha256', bytes, 'base64'))
    return { text, fields, opened: JSON.parse(opened ?? '') as Record<string, unknown> }
  }

  test('a submission has one, which shows that its address was accepted, and when', async () => {
    const own = newCredentials()
    const receipt = (await publish(service, own, publishBody('http://sunrise-bakery.com/menu'))).body
    const { text, fields, opened } = await proven(`${SUBMISSIONS_PATH}/${own.key}/proof`, own.secret)
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(2048)
    expect(fields).toMatchObject({ kind: 'listed', time: new Date(NOON).toISOString() })
    expect(opened).toMatchObject({
      kind: 'accept',
      requestId: receipt.requestId,
      url: 'http://sunrise-bakery.com/menu',
    })

    const response = await get(`${SUBMISSIONS_PATH}/${own.key}/proof`, own.secret)
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(response.headers.get('cache-control')).toBe('no-store')
    const decision = await proven(`${DECISIONS_PATH}/${receipt.requestId}/proof`, own.secret)
    expect(decision.opened).toEqual(opened)
    const open = await proven(`/proof/${fields.index}.tlog-proof`)
    expect([open.fields, open.opened]).toEqual([fields, undefined])
  })

  test('what was refused, is unknown or belongs to others has none, and the error says what to do', async () => {
    const refused = newCredentials()
    const parked = '<!doctype html><title>This domain is for sale</title><p>Buy this domain now.</p>'
    service.sites.set('parked-name.com', (_request, response) => sendHtml(response, parked))
    const { body } = await publish(service, refused, publishBody('http://parked-name.com/'))
    expect(body.reason).toBe('parked_domain')
    const other = newCredentials()
    for (const [key, secret] of [
      [refused.key, refused.secret],
      [other.key, other.secret],
      [refused.key, other.secret],
    ]) {
      const response = await get(`${SUBMISSIONS_PATH}/${key}/proof`, secret)
      expect(response.status).toBe(404)
      expect(await response.json()).toMatchObject({
        code: 'not_found',
        error: expect.stringContaining('GET the submission'),
      })
    }
    const { fields, opened } = await proven(`${DECISIONS_PATH}/${body.decisionId}/proof`, refused.secret)
    expect([fields.kind, fields.listing, opened?.kind]).toEqual(['decided', undefined, 'refuse'])
    expect((await get(`${DECISIONS_PATH}/${body.decisionId}/proof`, other.secret)).status).toBe(404)
    expect((await get('/proof/999999.tlog-proof')).status).toBe(404)
  })

  test('an order has one for each board that its payment changed, and later ones for its refund', async () => {
    const checkout = await openTestCheckout(store, 'paid-mill.com')
    await applyEvent(store, eventOf('paid', 'pi_1', { checkout }), NOON)
    const other = await openTestCheckout(store, 'paid-mill.com')
    await applyEvent(store, eventOf('paid', 'pi_2', { checkout: other }), NOON + 1000)
    await applyEvent(store, eventOf('refunded', 'pi_1', { checkout, amountCents: 500 }), NOON + 2000)
    await expect.poll(async () => (await rowsOfOrder(store, checkout.checkoutId)).length).toBe(4)
    const rows = await rowsOfOrder(store, checkout.checkoutId)
    expect(rows.map(({ entry: { kind, board, changeCents } }) => [kind, board, changeCents]).sort()).toEqual([
      ['counted', '2026-11-21', 2500],
      ['counted', 'all', 2500],
      ['refunded', '2026-11-21', -500],
      ['refunded', 'all', -500],
    ])
    const page = await (await get(`/checkout/${checkout.checkoutId}`)).text()
    for (const { index, entry } of rows) {
      expect(page).toContain(`href="/proof/${index}.tlog-proof"`)
      expect((await proven(`/proof/${index}.tlog-proof`)).fields).toEqual(entry)
    }
    expect(page).toContain('$25.00 counted on the all-time board.')
    expect(page).toContain('$5.00 refunded, and taken from the board of 21 November 2026.')
  })

  test('a listing is found by its address here and there, and a row without JavaScript', async () => {
    const own = newCredentials()
    await publish(service, own, publishBody('http://sea-glass-studio.com/'))
    const { fields } = await proven(`${SUBMISSIONS_PATH}/${own.key}/proof`, own.secret)
    for (const asked of [
      'sea-glass-studio.com',
      `${service.url}/product/sea-glass-studio-com`,
      '/product/sea-glass-studio-com',
    ]) {
      const page = await (await get(`/proof?row=${encodeURIComponent(asked)}`)).text()
      expect(page).toContain(`href="/proof?row=${fields.index}#row"`)
    }
    const row = await (await get(`/proof?row=${fields.index}`)).text()
    expect(row).toContain('a listing was published')
    expect(row).toContain('sea-glass-studio.com')
    await store.db.updateTable('listing').set({ hiddenAt: NOON }).where('slug', '=', 'sea-glass-studio-com').execute()
    expect(await (await get(`/proof?row=${fields.index}`)).text()).not.toContain('sea-glass-studio')
    const hidden = await get('/proof?row=/product/sea-glass-studio-com')
    expect([hidden.status, (await hidden.text()).includes('No such row')]).toEqual([404, true])
    await store.db.updateTable('listing').set({ hiddenAt: null }).where('slug', '=', 'sea-glass-studio-com').execute()
    for (const asked of [
      '999999',
      'nowhere.example.com',
      'no address',
      '-1',
      `x/manage/${own.key}#owner=${'a'.repeat(43)}`,
    ]) {
      const page = await get(`/proof?row=${encodeURIComponent(asked)}`)
      expect(page.status, asked).toBe(404)
      const html = await page.text()
      expect(html).not.toContain('#owner=')
      // What was typed stays, to correct it, unless it may hold a private link.
      expect(/<input[^>]*name="row"[^>]* value(?:="([^"]*)")?/.exec(html)?.[1] ?? '').toBe(
        asked.includes('#') ? '' : asked,
      )
    }
  })

  test('the row of a place that its owner gave up does not say that the listing was taken down', async () => {
    await publish(service, newCredentials(), publishBody('http://withdrawn-mill.com/'))
    const checkout = await openTestCheckout(store, 'withdrawn-mill.com')
    await applyEvent(store, eventOf('paid', 'pi_withdrawn', { checkout }), NOON)
    const listing = await store.db
      .selectFrom('listing')
      .selectAll()
      .where('slug', '=', 'withdrawn-mill-com')
      .executeTakeFirstOrThrow()
    await withdrawListing(store, listing, NOON)
    const leftRow = async () => {
      const { rows } = await sql<{ position: number }>`
        select position from log_entry where entry like ${`%"kind":"left",%"listing":${listing.id},%`}`.execute(
        store.db,
      )
      return rows[0]?.position
    }
    await expect.poll(leftRow).toBeDefined()
    const row = await leftRow()
    const page = await (await get(`/proof?row=${row}`)).text()
    expect(page).toContain('a listing lost its place because it was withdrawn or taken down')
  })

  test('the outcome of a report has one for its reporter, and a takedown one for the owner', async () => {
    const own = newCredentials()
    const receipt = (await publish(service, own, publishBody('http://reported-mill.com/'))).body
    const listing = await store.db
      .selectFrom('listing')
      .select(['id', 'slug'])
      .where('slug', '=', 'reported-mill-com')
      .executeTakeFirstOrThrow()
    const report = { reason: 'misleading', details: '', contact: '' } as const
    const added = await addReport({ store, serviceKeys: FIXED_KEYS }, listing.id, report, 'network', NOON)
    const path = `/reports/${added?.key}/decision.tlog-proof`
    expect((await get(path)).status).toBe(404)
    await settleReport(store, 1, 'It is fine.', NOON)
    expect((await proven(path)).opened).toMatchObject({ kind: 'settle', listingId: listing.id })

    await hideListing(store, listing.slug, 'It is not what it says.', NOON)
    const [page = '', token] = receipt.ownership.privateRecoveryUrl?.split('#owner=') ?? []
    expect((await fetch(`${page}/decision.tlog-proof`)).status).toBe(404)
    const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' }
    const visit = await fetch(`${page}/session`, { method: 'POST', headers, body: JSON.stringify({ token }) })
    const cookie = visit.headers
      .getSetCookie()
      .map(each => each.split(';')[0])
      .join('; ')
    await expect
      .poll(async () => (await fetch(`${page}/decision.tlog-proof`, { headers: { cookie } })).status)
      .toBe(200)
    const proof = await fetch(`${page}/decision.tlog-proof`, { headers: { cookie } })
    expect(proof.headers.get('content-disposition')).toMatch(/^attachment; filename="[\w-]+\.tlog-proof"$/)
    const { text, fields, opened } = verified(await proof.text())
    expect([fields.kind, fields.listing, opened?.kind]).toEqual(['hidden', listing.id, 'hide'])

    // The names of operators are for operators, and cannot be guessed with what is in the proof.
    const { actor, salt } = await store.db
      .selectFrom('decision')
      .select(['actor', 'salt'])
      .where('position', '=', Number(fields.index))
      .executeTakeFirstOrThrow()
    expect([actor, salt?.length]).toEqual([expect.stringMatching(/^operator:./), 64])
    expect(opened?.actor).toMatch(/^operator:[\w+/]{43}=$/)
    expect(JSON.stringify(parseExtra(parseProof(text).extra ?? Buffer.alloc(0)))).not.toContain(salt?.slice(32))
  })

  test('cosignatures that would make a proof too long are left out', async () => {
    await proven('/proof/0.tlog-proof')
    const { note, ...checkpoint } = await store.db.selectFrom('log_checkpoint').selectAll().executeTakeFirstOrThrow()
    const { text } = openNote(note, keys)
    const others = Array.from({ length: 30 }, (_, place) =>
      signerOf(`witness${place}.example`, Buffer.alloc(32, place)).sign(text),
    )
    const lines = note.slice(text.length + 1)
    const long = joinNote(text, [lines, ...others])
    expect(checkpoint.root).toBe(parseCheckpoint(text).root.toString('base64'))
    expect(checkpointText(parseCheckpoint(text))).toBe(text)
    await store.db.updateTable('log_checkpoint').set({ note: long }).execute()
    const proof = await proofOfRow(store, 0)
    await store.db.updateTable('log_checkpoint').set({ note }).execute()
    expect(Buffer.byteLength(proof)).toBeLessThanOrEqual(2048)
    expect(proof).toContain('— witness0.example ')
    expect(proof).not.toContain('— witness29.example ')
    verified(proof)
  })
})

test('before a checkpoint covers it, the reply says when to repeat the request', async () => {
  const service = await startTestService({ jobsEveryMs: 0 })
  const own = newCredentials()
  await publish(service, own, publishBody('http://sunrise-bakery.com/'))
  const response = await fetch(`${service.url}${SUBMISSIONS_PATH}/${own.key}/proof`, {
    headers: { 'x-submission-secret': own.secret },
  })
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '2'])
  expect(await response.json()).toMatchObject({
    code: 'not_ready',
    retryAfterSeconds: 2,
    error: expect.stringContaining('Repeat the request after retryAfterSeconds'),
  })
  expect(await (await fetch(`${service.url}/proof`)).text()).toContain('The log has no signed checkpoint yet')
  await service.stop()
})
