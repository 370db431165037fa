import { PUBLISH_PATH } from '@placard/contract'
import { heading, report } from './compare.ts'
import { credentials, publishBody, WIDE_ENV } from './requests.ts'
import { startServer } from './server-process.ts'

const AGENTS = 128
const SECONDS = 15
const DELAY_MS = 500

/** Publishes of agents that send one after another, each of a website that takes half a second to answer. */
export async function waitingFigures(folder: string): Promise<void> {
  heading(`${AGENTS} agents publish websites that answer after ${DELAY_MS} ms, for ${SECONDS} s`)
  const sites = await startServer('sites', [String(DELAY_MS)])
  const server = await startServer('reading', [], {
    ...WIDE_ENV,
    DATA_DIR: folder,
    FETCH_CONNECT_TO: sites.url,
    LOG_LEVEL: 'silent',
  })
  const statuses = new Map<number, number>()
  const publish = async (site: string) => {
    const body = publishBody(`http://ordinary-${site}.com`)
    const response = await fetch(server.url + PUBLISH_PATH, { method: 'POST', headers: credentials(), body })
    await response.arrayBuffer()
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
  }
  try {
    // The readers start with the first page.
    await publish('first')
    statuses.clear()
    const startedAt = performance.now()
    const end = startedAt + SECONDS * 1000
    await Promise.all(
      Array.from({ length: AGENTS }, async (_, agent) => {
        for (let count = 0; performance.now() < end; count++) await publish(`${agent}-${count}`)
      }),
    )
    const seconds = (performance.now() - startedAt) / 1000
    report('publishes a second', [(statuses.get(201) ?? 0) / seconds], { atLeast: 60 })
    console.log(
      `    replies: ${[...statuses].map(([status, count]) => `${count.toLocaleString('en')} × ${status}`).join(', ')}`,
    )
  } finally {
    await server.stop()
    await sites.stop()
  }
}
