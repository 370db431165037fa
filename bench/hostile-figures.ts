import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { PUBLISH_PATH } from '@placard/contract'
import { heading, inSeconds, LONG_ROUNDS, report } from './compare.ts'
import { HOSTILE_PAGES } from './hostile-pages.ts'
import { median } from './load.ts'
import { credentials, publishBody, WIDE_ENV } from './requests.ts'
import { type ServerProcess, startServer } from './server-process.ts'

const UNDER_REVIEW = 8
const SECONDS = 3
const HOSTILE = Object.keys(HOSTILE_PAGES)
/** How often another client asks. */
const ASK_EVERY_MS = 5

/** Strangers' pages: what they cost everybody else, and what reading them in separate processes costs. */
export async function hostileFigures(folder: string): Promise<void> {
  const sites = await startServer('sites', [])
  const env = (name: string) => ({ ...WIDE_ENV, FETCH_CONNECT_TO: sites.url, DATA_DIR: join(folder, name) })
  const apart = await startServer('reading', [], env('apart'))
  const here = await startServer('reading', ['here'], env('here'))
  try {
    await patience(apart, here)
    await cost(apart, here)
  } finally {
    await Promise.all([apart.stop(), here.stop(), sites.stop()])
  }
}

async function patience(apart: ServerProcess, here: ServerProcess): Promise<void> {
  heading(`Hostile pages: GET /healthz of another client while ${UNDER_REVIEW} are under review`)
  const [quiet, busy, old]: [number[], number[], number[]] = [[], [], []]
  const statuses = new Map<number, number>()
  const during = async (service: ServerProcess) =>
    (await Promise.all([p99(service, SECONDS), publishing(service, SECONDS, HOSTILE, statuses)]))[0]
  await publishing(apart, 1, HOSTILE, statuses)
  await publishing(here, 1, HOSTILE, statuses)
  for (let round = 0; round < LONG_ROUNDS; round++) {
    quiet.push(await p99(apart, SECONDS))
    old.push(await during(here))
    statuses.clear()
    busy.push(await during(apart))
  }
  report('p99 in ms', busy, { atMost: 50 })
  report('p99 in ms without the pages', quiet, undefined)
  report('p99 in ms when the service reads them itself', old, undefined)
  const over = (figures: readonly number[]) => busy.map((ms, round) => ms / (figures[round] ?? Number.NaN))
  report('with the pages / without', over(quiet), undefined)
  report('read separately / read by the service itself', over(old), undefined)
  const replies = [...statuses].map(([status, count]) => `${count} × ${status}`).join(', ')
  console.log(`    hostile pages answered in the last round: ${replies}`)
}

async function cost(apart: ServerProcess, here: ServerProcess): Promise<void> {
  heading('Publishing a page of 30 KB read in a separate process, against reading it in the service itself')
  const ordinary = async (server: ServerProcess) => {
    const before = await server.cpuMicros()
    const answers = await publishing(server, SECONDS, ['ordinary'], new Map())
    return { perSecond: answers / SECONDS, cpuMicros: ((await server.cpuMicros()) - before) / answers }
  }
  await ordinary(apart)
  await ordinary(here)
  const rounds: { apart: Cost; here: Cost }[] = []
  for (let round = 0; round < LONG_ROUNDS; round++) {
    rounds.push({ apart: await ordinary(apart), here: await ordinary(here) })
  }
  const ratioOf = (figure: keyof Cost) => rounds.map(round => round.apart[figure] / round.here[figure])
  report('rate apart / here', ratioOf('perSecond'), undefined)
  report("CPU of the service's own process apart / here", ratioOf('cpuMicros'), undefined)
  const side = (where: 'apart' | 'here') =>
    `${inSeconds(median(rounds.map(round => round[where].perSecond)))}, ${median(rounds.map(round => round[where].cpuMicros)).toFixed(0)} µs CPU`
  console.log(`    ${side('apart')}  against  ${side('here')}`)
}

interface Cost {
  perSecond: number
  /** CPU time of the service's own process per publish. */
  cpuMicros: number
}

let hosts = 0

/** Keeps this many pages under review, each from another host. @returns how many were answered */
async function publishing(
  service: ServerProcess,
  seconds: number,
  names: readonly string[],
  statuses: Map<number, number>,
): Promise<number> {
  const end = performance.now() + seconds * 1000
  let answers = 0
  const publishInTurn = async () => {
    while (performance.now() < end) {
      const name = names[++hosts % names.length]
      const body = publishBody(`http://${name}-${hosts}.com`)
      const { status } = await fetch(service.url + PUBLISH_PATH, {
        method: 'POST',
        headers: credentials(),
        body,
      })
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      answers++
    }
  }
  await Promise.all(Array.from({ length: UNDER_REVIEW }, publishInTurn))
  return answers
}

/** The 99th percentile of reply times, in milliseconds. */
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
