import { randomInt } from 'node:crypto'

/** Says that a request comes from the service's own page. */
export const OWN = { 'sec-fetch-site': 'same-origin' }

/** An owner's browser with a private page open, as HTTP sees it. @param readAt the instance that answers after that */
export async function openPrivatePage(privateLink: string, readAt?: string) {
  const { origin, pathname, hash } = new URL(privateLink)
  const base = origin + pathname
  const forwarded = { 'x-forwarded-for': newAddress(), accept: 'text/html' }
  const session = await fetch(`${base}/session`, {
    method: 'POST',
    headers: { ...OWN, ...forwarded, 'content-type': 'application/json' },
    body: JSON.stringify({ token: hash.replace('#owner=', '') }),
  })
  let cookie = cookieOf(session)

  return {
    /** 204 if the link opened, otherwise 404. */
    status: session.status,
    async read(query = '') {
      const response = await fetch((readAt ?? origin) + pathname + query, { headers: { ...forwarded, cookie } })
      return { status: response.status, html: await response.text() }
    },
    /** Sends a form of the page. A new cookie replaces the one before, as in a browser. */
    async act(name: string, fields: Record<string, string> = {}, headers: Record<string, string> = OWN) {
      const response = await fetch(`${base}/${name}`, {
        method: 'POST',
        redirect: 'manual',
        headers: { ...forwarded, cookie, ...headers },
        body: new URLSearchParams(fields),
      })
      const html = await response.text()
      if (response.headers.has('set-cookie')) cookie = cookieOf(response)
      return { status: response.status, headers: response.headers, html, newLink: newLinkIn(html) }
    },
  }
}

const cookieOf = (response: Response) => response.headers.get('set-cookie')?.split(';')[0] ?? ''

/** The private link that a page shows, if it shows one. */
const newLinkIn = (html: string) => /<pre[^>]*data-private-link[^>]*>([^<]+)<\/pre>/.exec(html)?.[1]

/** For a service that trusts its proxy: an unused address. */
const newAddress = () => `10.${randomInt(256)}.${randomInt(256)}.${randomInt(1, 255)}`
