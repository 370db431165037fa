import { compare, heading } from './compare.ts'
import type { FilledListings } from './fill-listings.ts'
import type { Target } from './load.ts'
import { WIDE_ENV } from './requests.ts'
import { type ServerProcess, startServer } from './server-process.ts'

/** A browser's headers: the service counts such a visit. */
const headers = {
  accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0',
}

const PAGES = {
  home: (server: ServerProcess): Target => ({ server, path: '/', headers, status: 200 }),
  /** All published ones in turn, so that no request repeats the last one. */
  'product page': (server: ServerProcess, { slugs }: FilledListings): Target => ({
    server,
    path: `/product/${slugs[0]}`,
    headers,
    setupRequest: request => ({ ...request, path: `/product/${slugs[asked++ % slugs.length]}` }),
    status: 200,
  }),
}
let asked = 0

/** What a page costs: the same among many listings as among few, and not much more than its bytes. */
export async function pageFigures({
  few,
  many,
}: {
  few: FilledListings
  many: FilledListings
}): Promise<void> {
  const servers = [await serverOf(many), await serverOf(few)] as const
  const [withMany, withFew] = servers
  try {
    const inWords = ({ count }: FilledListings) => count.toLocaleString('en')
    heading(`Rate of pages with ${inWords(many)} listings as a share of the rate with ${inWords(few)}`)
    for (const [name, page] of Object.entries(PAGES)) {
      await compare(name, page(withMany, many), page(withFew, few), { atLeast: 0.9 })
    }
    heading(`Rate of pages with ${inWords(many)} listings as a share of bare Fastify`)
    for (const [name, page] of Object.entries(PAGES)) await compareWithBare(name, page(withMany, many))
  } finally {
    await Promise.all(servers.map(server => server.stop()))
  }
}

async function compareWithBare(name: string, page: Target): Promise<void> {
  const html = await (await fetch(page.server.url + page.path)).text()
  const bare = await startServer('bare', ['{}', html])
  try {
    const sameBytes = { server: bare, path: '/page', headers, status: 200 }
    await compare(`${name} / bare route, same bytes`, page, sameBytes, { atLeast: 0.3 })
  } finally {
    await bare.stop()
  }
}

const serverOf = ({ dataDir }: FilledListings) =>
  startServer('placard', [], { ...WIDE_ENV, DATA_DIR: dataDir })
