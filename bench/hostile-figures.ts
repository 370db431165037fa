import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { PUBLISH_PATH } from '@placard/contract'
import { compare, heading, ROUNDS, report } from './compare.ts'
import { HOSTILE_PAGES } from './hostile-pages.ts'
import { median, type Target } from './load.ts'
import { credentials, publishBody, WIDE_ENV } from './requests.ts'
import { type ServerProcess, startServer } from './server-process.ts'

const UNDER_REVIEW = 8
const SECONDS = 3
/** Another client asks as often. */
const ASK_EVERY_MS = 5

/** Pages of strangers: what they cost everybody else, and what it costs to read them in processes apart. */
export async function hostileFigures(folder: string): Promise<void> {
  const sites = await startServer('sites', [])
  const env = (name: string) => ({ ...WIDE_ENV, FETCH_CONNECT_TO: sites.url, DATA_DIR: join(folder, name) })
  const apart = await startServer('reading', [], env('apart'))
  const here = await startServer('reading', ['here'], env('here'))
  try {
    await patience(apart)
    await cost(apart, here)
  } finally {
    await Promise.all([apart.stop(), here.stop(), sites.stop()])
  }
}

async function patience(service: ServerProcess): Promise<void> {
  heading(`Hostile pages: GET /healthz of another client while ${UNDER_REVIEW} are under review`)
  const [quiet, busy, ratios]: [number[], number[], number[]] = [[], [], []]
  const statuses = new Map<number, number>()
  await reviewing(service, 1, statuses)
  statuses.clear()
  for (let round = 0; round < ROUNDS; round++) {
    const before = await p99(service, SECONDS)
    const during = (await Promise.all([p99(service, SECONDS), reviewing(service, SECONDS, statuses)]))[0]
    quiet.push(before)
    busy.push(during)
    ratios.push(during / before)
  }
  report('p99 in ms', busy, { atMost: 50 })
  report('p99 in ms without the pages', quiet, undefined)
  report('with / without', ratios, undefined)
  const replies = [...statuses].map(([status, count]) => `${count} × ${status}`).join(', ')
  console.log(`    hostile pages answered: ${replies}`)
}

async function cost(apart: ServerProcess, here: ServerProcess): Promise<void> {
  heading('Publishing a page of 30 KB, read in a process apart, as a share of reading it in the own process')
  let count = 0
  const publishing = (server: ServerProcess): Target => ({
    server,
    path: PUBLISH_PATH,
    method: 'POST',
    status: 201,
    setupRequest: asked => ({
      ...asked,
      headers: { ...asked.headers, ...credentials() },
      body: publishBody(`http://ordinary-${++count}.com`),
    }),
  })
  await compare('read apart / read here', publishing(apart), publishing(here), undefined)
}

let hosts = 0

/** Has so many hostile pages reviewed at every moment. */
async function reviewing(
  service: ServerProcess,
  seconds: number,
  statuses: Map<number, number>,
): Promise<void> {
  const end = performance.now() + seconds * 1000
  const names = Object.keys(HOSTILE_PAGES)
  const publishOne = async () => {
    while (performance.now() < end) {
      const name = names[++hosts % names.length]
      const body = publishBody(`http://${name}-${hosts}.com`)
      const { status } = await fetch(service.url + PUBLISH_PATH, {
        method: 'POST',
        headers: credentials(),
        body,
      })
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: UNDER_REVIEW }, publishOne))
}

/** The time of the slowest of a hundred replies, in milliseconds. */
async function p99(service: ServerProcess, seconds: number): Promise<number> {
  const agent = new Agent({ keepAlive: true })
  const end = performance.now() + seconds * 1000
  const times: number[] = []
  while (performance.now() < end) {
    const started = performance.now()
    await answered(`${service.url}/healthz`, agent)
    times.push(performance.now() - started)
    await sleep(ASK_EVERY_MS)
  }
  agent.destroy()
  return times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? median(times)
}

const answered = (url: string, agent: Agent) =>
  new Promise<void>((resolve, reject) => {
    request(url, { agent }, response => {
      if (response.statusCode !== 200) reject(new Error(`${url} answered ${response.statusCode}`))
      response.resume().once('end', resolve)
    })
      .once('error', reject)
      .end()
  })
