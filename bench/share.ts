import { setTimeout as sleep } from 'node:timers/promises'
import { type Filled, slugAt } from './fill.ts'
import { heading, quantile, report } from './measure.ts'
import { type Program, startHelper, startPlacard } from './programs.ts'
import { publish } from './requests.ts'

const [AGENTS, ASKED, PAUSE_MS] = [8, 20, 200]
/** When a person or a network asks for the picture of what was just published, at the earliest. */
const LATER_MS = 1000

/** How long a share picture takes that is drawn on demand, or was drawn ahead, beside agents who publish all the time. */
export async function shareFigures({ dataDir, count }: Filled): Promise<void> {
  const sites = await startHelper('slow-sites', {})
  const connectTo = `:80:${new URL(sites.url).host}`
  const service = await startPlacard({ DATA_DIR: dataDir, TRUSTED_PROXIES: '127.0.0.1', FETCH_CONNECT_TO: connectTo })
  let isOver = false
  try {
    heading(`Share pictures, in ms, beside ${AGENTS} agents who publish websites that answer after 500 ms`)
    const picture = (slug: string) => millisecondsOf(service, `/picture/${slug}/share.png`)
    let [hosts, asked] = [0, 0]
    const publishOne = async (network: number): Promise<string> => {
      const { method, path, headers, body } = publish(`http://usual-${++hosts}.com`)
      const from = { 'x-forwarded-for': `9.1.${network}.1` }
      const response = await fetch(service.url + path, { method, headers: { ...headers, ...from }, body })
      const { productUrl } = (await response.json()) as { productUrl: string }
      return productUrl.split('/').at(-1) ?? ''
    }
    const unseen = () => picture(slugAt(count - 1 - asked++))
    const agents = Array.from({ length: AGENTS }, async (_, network) => {
      while (!isOver) await publishOne(network)
    })
    await sleep(LATER_MS)
    const [demanded, atOnce, later] = [[] as number[], [] as number[], [] as number[]]
    for (let nth = 0; nth < ASKED; nth++) {
      demanded.push(await unseen())
      const slug = await publishOne(AGENTS)
      atOnce.push(await picture(slug))
      const next = await publishOne(AGENTS)
      await sleep(LATER_MS)
      later.push(await picture(next))
      await sleep(PAUSE_MS)
    }
    isOver = true
    await Promise.all(agents)
    report('never asked before', demanded, { atMost: 250 })
    report('asked at once after the publish', atOnce, { atMost: 250 })
    report(`asked ${LATER_MS} ms after the publish`, later, { atMost: 50 })
    const p95 = [demanded, atOnce, later].map(times => quantile(times, 0.95).toFixed(0))
    console.log(`    p95 ${p95.join(', ')} ms; ${hosts} publishes`)
  } finally {
    isOver = true
    await Promise.all([service, sites].map(each => each.stop()))
  }
}

async function millisecondsOf(service: Program, path: string): Promise<number> {
  const askedAt = performance.now()
  const response = await fetch(service.url + path)
  await response.arrayBuffer()
  if (response.status !== 200) throw new Error(`${path}: wanted 200, got ${response.status}`)
  return performance.now() - askedAt
}
