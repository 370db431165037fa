import { createHash } from 'node:crypto'
import { BOARDS_PATH, CONTRACT_VERSION, type PublishBody, type QuoteBody } from '@placard/contract'
import { expect } from 'vitest'
import { followListing, readFeed } from '../../domain/notifications/owner/follower.ts'
import { image } from '../../domain/pictures/pictures.ts'
import { operateHere } from '../../support/operate.ts'
import {
  type Credentials,
  newCredentials,
  publish,
  publishBody,
  quote,
  type TestService,
} from '../../support/service.ts'
import { sendHtml } from '../../support/sites.ts'
import { openPrivatePage } from '../../web/manage/owner.ts'
import { newVisitor } from '../../web/visitor.ts'

/** The same at every store that the board moves to. */
export const SAME_KEY = { SERVICE_KEY: '5e'.repeat(32), TRUSTED_PROXIES: '127.0.0.1' }

const MINUTE_MS = 60_000

export interface LivedIn {
  submissions: { credentials: Credentials; body: PublishBody }[]
  hosts: string[]
  /** Private links that no longer open anything. */
  oldLinks: string[]
  feed: string
}

/** Does with a board what agents, owners, payers and operators do. Addresses are paths: the board will move. */
export async function liveIn(service: TestService): Promise<LivedIn> {
  const hosts = ['bakery-one.com', 'bakery-two.com', 'hidden-one.com', 'renewed-one.com']
  const png = await image().png().toBuffer()
  service.sites.set(hosts[0] ?? '', (request, response) =>
    request.url === '/a.png'
      ? void response.writeHead(200, { 'content-type': 'image/png' }).end(png)
      : sendHtml(
          response,
          `<!doctype html><html lang="de"><title>Bäckerei „Eins“ \\ ¦ 'x' 🥐</title>
          <meta property="og:image" content="/a.png"><h1>Brot</h1><p>Brot und Kuchen, jeden Tag frisch.</p>`,
        ),
  )
  const submissions = hosts.map(host => ({
    credentials: newCredentials(),
    body: publishBody(`http://${host}/`),
  }))
  for (const { credentials, body } of submissions) {
    expect((await publish(service, credentials, body)).status).toBe(201)
  }
  const receiptOf = async (index: number) => {
    const { credentials, body } = submissions[index] as LivedIn['submissions'][0]
    return (await publish(service, credentials, body)).body
  }
  const linkOf = async (index: number) => (await receiptOf(index)).ownership.privateRecoveryUrl ?? ''

  await pay(service, hosts[0] ?? '', await linkOf(0), 25)
  await pay(service, hosts[1] ?? '', await linkOf(1), 40)
  const renewed = await linkOf(3)
  await (await openPrivatePage(renewed)).act('renew', { link: renewed, confirm: 'yes' })
  const followed = await followListing(service, 'followed-one.com')
  await pay(service, 'followed-one.com', followed.privateLink, 30)
  // Seen where it stands, then overtaken on both boards.
  await readFeed(followed.feed)
  await pay(service, hosts[0] ?? '', await linkOf(0), 35)
  await expect.poll(async () => (await readFeed(followed.feed)).titles.length).toBe(2)
  const slug = 'hidden-one-com'
  await operateHere({ ...service.database.env, ...SAME_KEY }, 'hide', slug, '--reason', 'a test')
  await expect.poll(async () => (await pictureOf(service, 'bakery-one-com')).status).toBe(200)
  return {
    submissions,
    hosts: [...hosts, 'followed-one.com'],
    oldLinks: [renewed].map(link => link.replace(service.url, '')),
    feed: followed.feed.replace(service.url, ''),
  }
}

/** Pays at the sandbox, as a person does, until the board shows it. @param target in dollars */
async function pay(service: TestService, host: string, link: string, target: number): Promise<void> {
  service.clock.now += MINUTE_MS
  const choice = {
    destination: `http://${host}/`,
    category: 'Food & Drink',
    board: 'all',
    target: `${target}`,
  }
  const visitor = newVisitor(service)
  await visitor.post('/promote/link', { ...choice, link })
  const quoted = await quoteFor(service, host, target)
  const order = { ...choice, amount: `${quoted.body.chargeAmountCents}`, rules: CONTRACT_VERSION }
  const location = (await visitor.post('/promote/checkout', order)).location?.replace('?pay=1', '') ?? ''
  const [payPage = ''] = /\/sandbox\/pay\/\w+/.exec((await visitor.get(location)).html) ?? []
  await visitor.post(payPage, { act: 'pay' })
  const state = async () => (await visitor.get(`${location}/state`)).html
  await expect.poll(state).toBe('{"state":"paid"}')
}

const quoteFor = (service: TestService, host: string, targetBid: number) =>
  quote<{ chargeAmountCents: number }>(service, {
    destination: `http://${host}/`,
    category: 'Food & Drink',
    board: 'all',
    targetBid,
  } satisfies QuoteBody)

async function pictureOf(service: TestService, slug: string) {
  const response = await fetch(`${service.url}/picture/${slug}`)
  // An error names the address of the service.
  const bytes = Buffer.from(await response.bytes())
    .toString('latin1')
    .replaceAll(service.url, '')
  return { status: response.status, sha256: createHash('sha256').update(bytes, 'latin1').digest('hex') }
}

/** All that shows at the front door of what lived in it, without its address. */
export async function frontDoor(service: TestService, { submissions, hosts, oldLinks, feed }: LivedIn) {
  const text = (value: unknown) => JSON.parse(JSON.stringify(value).replaceAll(service.url, 'http://board'))
  const receipts = await Promise.all(
    submissions.map(async ({ credentials, body }) => {
      const { status, body: receipt } = await publish(service, credentials, body)
      return { status, receipt }
    }),
  )
  const opened = async (link: string) => (await openPrivatePage(link)).status
  const links = receipts.flatMap(({ receipt }) => receipt.ownership.privateRecoveryUrl ?? [])
  const json = async (path: string) => (await fetch(service.url + path)).json()
  const slugs = hosts.map(host => host.replaceAll('.', '-'))
  return text({
    receipts,
    links: await Promise.all(links.map(opened)),
    oldLinks: await Promise.all(oldLinks.map(link => opened(service.url + link))),
    boards: [await json(`${BOARDS_PATH}/all`), await json(`${BOARDS_PATH}/today`)],
    quotes: await Promise.all(hosts.map(async host => (await quoteFor(service, host, 50)).body)),
    pages: await Promise.all(slugs.map(async slug => (await fetch(`${service.url}/product/${slug}`)).status)),
    pictures: await Promise.all(slugs.map(slug => pictureOf(service, slug))),
    feed: (await readFeed(service.url + feed)).titles,
    found: await Promise.all(
      ['eins', 'bäckerei', 'renewed'].map(async word => {
        const html = await (await fetch(`${service.url}/search?q=${encodeURIComponent(word)}`)).text()
        return slugs.filter(slug => html.includes(`/product/${slug}`))
      }),
    ),
  })
}
