/** A person with a browser and their own address: follows links, fills in forms, keeps cookies. */
export class Visitor {
  readonly #service: string
  readonly #address: string
  readonly #cookies = new Map<string, string>()

  constructor(service: string, address: string) {
    this.#service = service
    this.#address = address
  }

  /** @returns the HTML of a page */
  async open(address: string): Promise<string> {
    return (await this.#ask(address, {})).text()
  }

  /** Sends a form from the service's own page. @returns where it redirects */
  async send(address: string, fields: Record<string, string>): Promise<string> {
    const response = await this.#ask(address, {
      method: 'POST',
      headers: { 'sec-fetch-site': 'same-origin' },
      body: new URLSearchParams(fields),
    })
    const location = response.headers.get('location')
    if (response.status !== 303 || !location) {
      throw new Error(`${new URL(address, this.#service).pathname} answered ${response.status}`)
    }
    return location
  }

  async #ask(address: string, init: RequestInit): Promise<Response> {
    const url = new URL(address, this.#service)
    const headers = new Headers(init.headers)
    headers.set('accept', 'text/html')
    headers.set('cookie', [...this.#cookies].map(pair => pair.join('=')).join('; '))
    // Requests are limited per address. The sandbox refuses requests through a proxy.
    if (!url.pathname.startsWith('/sandbox/')) headers.set('x-forwarded-for', this.#address)
    const response = await fetch(url, { ...init, headers, redirect: 'manual' })
    for (const line of response.headers.getSetCookie()) {
      const [name = '', value = ''] = line.split(';', 1)[0]?.split(/=(.*)/s) ?? []
      this.#cookies.set(name, value)
    }
    if (response.status >= 400) throw new Error(`${url.pathname} answered ${response.status}`)
    return response
  }
}
