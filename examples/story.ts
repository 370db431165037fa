import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { styleText } from 'node:util'
import { PlacardClient, PlacardError, type Publication } from 'placard-agent'
import { fileStore } from 'placard-agent/file-store'
import { configFrom } from '../server/dist/platform/config/config.js'
import { readEnv } from '../server/dist/platform/config/settings.js'
import { startService } from '../server/dist/start.js'
import { serveSampleSites } from './sample-sites.ts'

const LISTINGS = [
  { destination: 'http://juniper-lane-bakery.com/', category: 'Food & Drink' },
  { destination: 'http://knotwork-tools.dev/', category: 'Developer Tools' },
  { destination: 'http://www.tidepool-journal.org/?utm_source=letter', category: 'News & Newsletters' },
] as const
/** Served here too, for readers to publish. */
const UNPUBLISHED = 'http://copper-kettle-teahouse.com/'
const PARKED = { destination: 'http://bargain-name.net/', category: 'Productivity' } as const

/**
 * The main job as a story: the service and sample websites run here, and a real agent client publishes, repeats, is
 * refused and asks for a price, all over HTTP. Then the pages stay open until Ctrl-C, unless `once`.
 */
export async function demo({ once: endAtOnce }: { once: boolean }): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'placard-demo-'))
  const sites = await serveSampleSites()
  try {
    const service = await startService(
      configFrom({
        PORT: '0',
        ...readEnv({
          PORT: process.env.PORT,
          HOST: process.env.HOST,
          SANDBOX_FROM: process.env.SANDBOX_FROM,
        }),
        DATA_DIR: folder,
        FETCH_CONNECT_TO: sites.connectTo,
        // The story itself uses four, the default limit per client address.
        LIMIT_NEW_ATTEMPTS_PER_DAY_PER_IP: '20',
        LOG_LEVEL: 'error',
      }),
    )
    const base = `http://127.0.0.1:${service.port}`
    try {
      const store = fileStore(join(folder, 'journal.jsonl'))
      const published = await playStory(new PlacardClient({ service: base, store }))
      if (!endAtOnce) await stayOpen(base, published)
    } finally {
      await service.stop()
    }
  } finally {
    await sites.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function playStory(agent: PlacardClient): Promise<Publication[]> {
  console.log(bold('\nPlacard: a public notice board that agents can use'))

  step('The agent asks what the service offers.')
  const { version, categories, publishingPolicy, discovery } = await agent.capabilities()
  row('contract', version)
  row('categories', `${categories.length}, from ${categories[0]?.id} to ${categories.at(-1)?.id}`)
  row('free listings', `${discovery.available ? 'open' : 'closed'}, shown for ${discovery.displayDays} days`)
  row('new today', `${publishingPolicy.limits.newAttemptsPerDayPerIp} for each client address`)

  step('Three customers said yes. The agent publishes, one request each.')
  const published: Publication[] = []
  for (const listing of LISTINGS) {
    const publication = await agent.publish({ ...listing, userApproved: true })
    published.push(publication)
    row('201 published', `${listing.destination}\n${publication.receipt.productUrl}`)
  }

  step('The answer got lost? The identical request brings the same receipt back.')
  const again = await agent.publish({ ...LISTINGS[0], userApproved: true })
  const same = again.receipt.requestId === published[0]?.receipt.requestId
  row('200 replayed', `${again.receipt.requestId}${same ? ', the same as before' : ''}`)

  step('A parked name is read, reviewed and refused. Nothing is listed.')
  try {
    await agent.publish({ ...PARKED, userApproved: true })
  } catch (error) {
    if (!(error instanceof PlacardError)) throw error
    row(`${error.status} ${error.code}`, `${error.reason}: ${error.error}`)
  }

  step('What would a place on the board cost? A quote reads, and never charges.')
  const quote = await agent.quote({ ...LISTINGS[0], board: 'all', targetBid: 25 })
  row('price', `$${(quote.chargeAmountCents / 100).toFixed(2)}, for about rank ${quote.estimatedRank} on the board`)
  row('charged', 'nothing: only a person can pay, in a browser, at')
  row('', quote.handoffUrl)
  return published
}

async function stayOpen(base: string, published: Publication[]): Promise<void> {
  step('The pages are open. Have a look around:')
  row('the site', `${base}/`)
  row('a listing', published[0]?.receipt.productUrl ?? '')
  row('its private page', published[0]?.privateLink?.reveal() ?? '')
  row('', dim('(an agent hands this link to its customer in private, and prints it nowhere)'))
  row('to buy a place', 'open the price above, and show its private link there')
  row('', dim('(payments are played by a sandbox: no money moves)'))
  row('paid places', `${base}/board/all`)
  row('for agents', `${base}/agent-guide.md`)
  row('', '')
  row('be the agent', `npx --no-install placard-agent publish ${UNPUBLISHED} \\`)
  row('', `  --category "Food & Drink" --user-approved --service ${base}`)
  console.log(dim('\nCtrl-C ends the demo and removes its data.'))
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
}

let steps = 0
const bold = (text: string) => styleText('bold', text)
const dim = (text: string) => styleText('dim', text)
const step = (text: string) => console.log(`\n${styleText('cyan', String(++steps))}  ${bold(text)}`)

/** One fact: its name in a column, its lines beside it. */
function row(name: string, text: string): void {
  for (const [index, line] of text.split('\n').entries()) {
    console.log(`   ${(index === 0 ? name : '').padEnd(22)} ${line}`)
  }
}
