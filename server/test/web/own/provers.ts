import { expect } from 'vitest'
import type { Store } from '../../../src/platform/db/store.ts'
import { newCredentials, publish, publishBody, type TestService } from '../../support/service.ts'
import { sendHtml } from '../../support/sites.ts'
import { OWN, openPrivatePage } from '../manage/owner.ts'
import { newVisitor, type Visitor } from '../visitor.ts'

/** The token that a page shows. */
const tokenIn = (html: string) => /content=(?:"|&quot;)(plc_\w{40})/.exec(html)?.[1] ?? expect.fail('there is no token')

/** The private link that a page shows; empty if it shows none. */
const linkIn = (html: string) => /<pre[^>]*data-private-link[^>]*>([^<]+)</.exec(html)?.[1] ?? ''

export const opens = async (link: string) => (await openPrivatePage(link)).status === 204

/** Opens a private page in a browser that may have a proof under way. @returns the page's path */
export async function openIn(service: TestService, { cookies }: Visitor, link: string): Promise<string> {
  const { pathname, hash } = new URL(link)
  const opened = await fetch(`${service.url}${pathname}/session`, {
    method: 'POST',
    headers: { ...OWN, 'content-type': 'application/json' },
    body: JSON.stringify({ token: hash.replace('#owner=', '') }),
  })
  const [name = '', value = ''] = opened.headers.get('set-cookie')?.split(';')[0]?.split('=') ?? []
  cookies.set(name, { value, path: pathname, flags: [] })
  return pathname
}

let websites = 0

/** A website that an agent has listed, and on which people put their tokens. */
export async function listedWebsite(service: TestService) {
  const host = `disputed-${++websites}.com`
  const url = `http://${host}/`
  /** What the website shows. */
  const tokens = new Set<string>()
  service.sites.set(host, (_request, response) =>
    sendHtml(
      response,
      `<head>${[...tokens].map(token => `<meta name="placard-challenge" content="${token}">`).join('')}<title>Shop</title></head><p>Hello`,
    ),
  )
  const credentials = newCredentials()
  const replay = () => publish(service, credentials, publishBody(url))
  const again = async () => (await replay()).body
  const { ownership, productUrl } = await again()
  async function check(visitor: Visitor, address = url, headers: Record<string, string> = {}) {
    const { status, html } = await visitor.post('/own/check', { address }, headers)
    return { status, link: linkIn(html), heading: /<h2[^>]* id="(?:answer|given)">([^<]*)</.exec(html)?.[1] }
  }

  return {
    host,
    url,
    tokens,
    again,
    /** The decision for which a replay says that the listing is not shown. */
    decision: async () => (await replay()).headers.get('placard-decision'),
    check,
    link: ownership.privateRecoveryUrl ?? '',
    slug: productUrl.split('/').at(-1) ?? '',
    /** A browser that has put its token on the website. */
    async newProver(): Promise<Visitor & { token: string }> {
      const visitor = newVisitor(service)
      const { html } = await visitor.get(`/own?${new URLSearchParams({ address: url })}`)
      const token = tokenIn(html)
      tokens.add(token)
      return { ...visitor, token }
    },
    listing: (store: Store) =>
      store.db.selectFrom('listing').selectAll().where('hostname', '=', host).executeTakeFirstOrThrow(),
  }
}
