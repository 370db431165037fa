import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * Small businesses and one parked name, as their own servers would show them. The demo publishes three; the teahouse is
 * for readers who try the README's command.
 */
const SITES: Record<string, string> = {
  'juniper-lane-bakery.com': `<!doctype html><html lang="en"><title>Juniper Lane Bakery</title>
    <meta name="description" content="Sourdough, seeded rye and cardamom buns, baked before sunrise and sold until they are gone.">
    <h1>Juniper Lane Bakery</h1><p>Open from Tuesday to Saturday, seven until the shelves are empty.</p>`,
  'knotwork-tools.dev': `<!doctype html><html lang="en"><title>Knotwork: diff your database like your code</title>
    <meta name="description" content="A command that shows what changed between two databases, row by row, and writes the migration for you.">
    <div id="root"></div><script src="/app.js"></script>`,
  'tidepool-journal.org': `<!doctype html><html lang="pt"><title>Diário da Maré</title>
    <meta name="description" content="Notas de campo sobre a vida entre marés: anémonas, caranguejos e paciência.">
    <h1>Diário da Maré</h1><p>Uma carta por semana, escrita à beira-mar.</p>`,
  'copper-kettle-teahouse.com': `<!doctype html><html lang="en"><title>The Copper Kettle Teahouse</title>
    <meta name="description" content="Forty loose-leaf teas, a fire in winter and a garden in summer.">
    <h1>The Copper Kettle</h1><p>Come in, the water is always just off the boil.</p>`,
  'bargain-name.net': `<!doctype html><html lang="en"><title>bargain-name.net is for sale</title>
    <h1>This domain is for sale</h1><p>Buy this domain today.</p>
    <script src="http://www.sedoparking.com/frmpark/"></script>`,
}

export interface SampleSites {
  /** A FETCH_CONNECT_TO that directs the sample names here, since they exist nowhere else. */
  connectTo: string
  close(): Promise<void>
}

/** Serves the sample websites on loopback. */
export async function serveSampleSites(): Promise<SampleSites> {
  const server = createServer((request, response) => {
    const html = SITES[(request.headers.host ?? '').replace(/^www\./, '')]
    response.writeHead(html ? 200 : 404, { 'content-type': 'text/html; charset=utf-8' }).end(html)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    connectTo: Object.keys(SITES)
      .flatMap(host => [host, `www.${host}`])
      .map(host => `${host}:80:127.0.0.1:${port}`)
      .join(','),
    close: () => new Promise(resolve => server.close(() => resolve())),
  }
}
