import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Store } from '../../../src/platform/db/store.ts'
import {
  check,
  newCredentials,
  publish,
  publishBody,
  startTestService,
  type TestService,
} from '../../support/service.ts'
import { REVIEW_CORPUS } from '../review/reviewers/corpus.ts'

let service: TestService
let store: Store
const lists = mkdtempSync(join(tmpdir(), 'placard-lists-'))
writeFileSync(join(lists, 'hosts.txt'), '0.0.0.0 listed-here.com\n')
beforeAll(async () => {
  service = await startTestService({ env: { BLOCKLISTS: lists, PROTECTED_HOSTS: 'acme-bank.com' } })
  store = await service.database.openStore()
})
afterAll(async () => {
  await service.stop()
  rmSync(lists, { recursive: true })
})

/** Asks for a check, publishes the same, and expects the check to have said what publish did. @returns its status */
async function expectAgreement(destination: string): Promise<{ status: number; reason?: string | undefined }> {
  const checked = await check(service, { destination, category: 'Games' })
  const published = await publish(service, newCredentials(), publishBody(destination, 'Games'))
  const { status, body } = published
  const saidByCheck = checked.status === 200 ? checked.body.publishReply : { ...checked.body, status: checked.status }
  expect(saidByCheck).toMatchObject({
    status,
    ...(status !== 201 && { code: body.code, error: body.error }),
    ...(body.reason && { reason: body.reason }),
  })
  if (checked.status === 200) expect(checked.body.wouldPublish).toBe(status === 201)
  if (status === 201) {
    const [listing] = await store.db
      .selectFrom('listing')
      .select(['url', 'title', 'description', 'imageUrl'])
      .where('slug', '=', body.productUrl.split('/product/')[1] ?? '')
      .execute()
    const { title, description, imageUrl = null } = checked.body.listing ?? {}
    expect({ url: checked.body.destination, title, description, imageUrl }).toEqual(listing)
  }
  return { status, reason: body.reason }
}

describe('check and publish agree', () => {
  it.each(REVIEW_CORPUS.map((each, place) => ({ ...each, place })))(
    'on the page of the review corpus: $what',
    async ({ html, headers, url = 'http://acme.com/', reason, place }) => {
      const { hostname } = new URL(url)
      service.sites.set(hostname, (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(html)
      })
      const found = await expectAgreement(`http://${hostname}/case-${place}`)
      expect(found).toEqual({ status: reason ? 422 : 201, reason })
    },
  )

  const page =
    (status: number, headers: Record<string, string>, body = ''): RequestListener =>
    (_request: IncomingMessage, response: ServerResponse) =>
      response.writeHead(status, headers).end(body)
  const html = { 'content-type': 'text/html' }

  it.each([
    ['not there', page(404, html), 422, 'not_found'],
    ['forbidden', page(403, html), 422, 'not_found'],
    ['no page', page(200, { 'content-type': 'application/json' }, '{}'), 422, 'not_a_web_page'],
    ['too large', page(200, html, 'x'.repeat(1024 * 1024 + 1)), 422, 'too_large'],
    ['too deep', page(200, html, '<div>'.repeat(300)), 422, 'too_large'],
    ['elsewhere', page(302, { location: 'http://other.com/' }), 422, 'redirects_elsewhere'],
    ['going round', page(302, { location: '/again' }), 422, 'not_a_web_page'],
    ['ill', page(500, html), 503, 'site_unreachable'],
    ['busy', page(429, html), 503, 'site_unreachable'],
    [
      'pictured',
      page(
        200,
        html,
        '<title>A\u202e b</title><meta name=description content="c\n d"><meta property=og:image content=/p.png>',
      ),
      201,
      undefined,
    ],
  ])('on a website that is %s', async (what, answer, status, reason) => {
    const host = `${what.replaceAll(' ', '-')}-site.com`
    service.sites.set(host, answer)
    expect(await expectAgreement(`http://${host}/`)).toEqual({ status, reason })
  })

  it.each([
    ['blocklisted', 'listed-here.com', 'Acme', 'Widgets.', 422, 'blocklisted'],
    ['blocklisted by its parent', 'www2.listed-here.com', 'Acme', 'Widgets.', 422, 'blocklisted'],
    ['a look-alike', 'xn--80ak6aa92e.com', 'Apple', 'Phones.', 422, 'policy'],
    ['a look-alike of a protected name', 'acrne-bank.com', 'Acme Bank', 'Log in.', 422, 'policy'],
    ['a look-alike by name only', 'rnicrosoft.com', 'Harbour news', 'Ships.', 201, undefined],
    ['full of phrases', 'phrases.com', 'Free porn', 'Hd porn, sex cams, nude chat, ai porn.', 422, 'adult_content'],
    ['about phrases', 'about-phrases.com', 'Free porn?', 'Research on hd porn.', 201, undefined],
  ])('on a website that is %s', async (_what, host, title, text, status, reason) => {
    service.sites.set(host, page(200, html, `<title>${title}</title><p>${text}`))
    expect(await expectAgreement(`http://${host}/`)).toEqual({ status, reason })
  })

  it('on a destination that is listed, spelled in another way', async () => {
    await publish(service, newCredentials(), publishBody('http://twice.com/shop'))
    expect(await expectAgreement('https://www.twice.com/shop/?a=1')).toEqual({ status: 409 })
  })

  it('on addresses that no listing may have', async () => {
    for (const destination of ['http://localhost/', 'http://10.0.0.1/', 'http://a_b.com/', service.url, 'acme.com']) {
      expect((await expectAgreement(destination)).status).toBe(400)
    }
  })
})
