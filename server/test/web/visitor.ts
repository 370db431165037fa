/** A page or an answer as a visitor gets it. */
export interface Visited {
  status: number
  headers: Headers
  html: string
  /** Path, query and fragment of a redirect. */
  location: string | undefined
}

/** A browser, as HTTP sees it: keeps cookies, and marks its forms as from the service's own pages. */
export function newVisitor(service: { url: string }) {
  const cookies = new Map<string, { value: string; path: string; flags: string[] }>()
  const pages: string[] = []

  async function ask(path: string, init: RequestInit): Promise<Visited> {
    const sent = [...cookies].filter(([, cookie]) => new URL(path, service.url).pathname.startsWith(cookie.path))
    const response = await fetch(service.url + path, {
      redirect: 'manual',
      ...init,
      headers: {
        accept: 'text/html',
        cookie: sent.map(([name, { value }]) => `${name}=${value}`).join('; '),
        ...(init.headers as Record<string, string>),
      },
    })
    for (const line of response.headers.getSetCookie()) keep(line)
    const location = response.headers.get('location')
    const html = await response.text()
    if (html.startsWith('<!DOCTYPE')) pages.push(html)
    return {
      status: response.status,
      headers: response.headers,
      html,
      location: location?.replace(service.url, ''),
    }
  }

  function keep(line: string): void {
    const [pair = '', ...flags] = line.split('; ')
    const at = pair.indexOf('=')
    const path = flags.find(flag => flag.startsWith('Path='))?.slice(5) ?? '/'
    cookies.set(pair.slice(0, at), { value: pair.slice(at + 1), path, flags: flags.sort() })
  }

  return {
    cookies,
    /** Every page seen so far. */
    pages,
    get: (path: string, headers: Record<string, string> = {}) => ask(path, { headers }),
    head: (path: string) => ask(path, { method: 'HEAD' }),
    /** Sends a form like a page of the service. */
    post: (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
      ask(path, {
        method: 'POST',
        body: new URLSearchParams(fields),
        headers: { 'sec-fetch-site': 'same-origin', ...headers },
      }),
  }
}

export type Visitor = ReturnType<typeof newVisitor>
