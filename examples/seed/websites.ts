import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { draw } from './drawing.ts'
import { WEBSITES, type Website } from './listings.ts'

const BY_HOST = new Map(WEBSITES.map(website => [website.host, website]))

export const websiteOf = (host: string): Website | undefined => BY_HOST.get(host)

/** Serves the websites of the seed on loopback. `connectTo` is the FETCH_CONNECT_TO that leads to them. */
export async function serveWebsites(): Promise<{ connectTo: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    const website = websiteOf(request.headers.host ?? '')
    if (!website) response.writeHead(404).end()
    else if (request.url === '/') sendPage(response, website)
    else void sendImage(response, website)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    connectTo: `:80:127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections()
      return new Promise(resolve => server.close(() => resolve()))
    },
  }
}

function sendPage(response: ServerResponse, { title, description, language, kind }: Website): void {
  const meta = (name: string, content: string) => (content ? `<meta ${name} content="${escaped(content)}">` : '')
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(
    `<!doctype html><html lang="${language}"><title>${escaped(title)}</title>
     ${meta('name="description"', description)}
     ${meta('property="og:image"', kind === 'none' ? '' : '/preview')}
     <h1>${escaped(title)}</h1><p>${escaped(description)}</p>`,
  )
}

async function sendImage(response: ServerResponse, website: Website): Promise<void> {
  response.writeHead(200, { 'content-type': 'image/png' }).end(await draw(website))
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
