import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { median, quantile } from './load.ts'
import { directus, ITEMS, jsonServer, LISTED, type Peer, placard, type Running } from './peer-services.ts'
import { startServer } from './server-process.ts'
import { megabytesOfFamily } from './whole-service.ts'

// Placard beside other services that take items and list them, each started as an operator does, with its defaults.
// It tells what somebody who runs one of them would see on the same machine. It does not tell whose code is faster, since
// they do different work. To create, Placard reads a page over the network, reviews it, and waits for the disk; Directus
// checks rights, writes an item, an activity and a revision to SQLite, and waits for the disk; json-server keeps all in
// memory and writes its file anew, without waiting for the disk. To list, Placard answers from its board of paid places,
// the others with the newest items. One request is under way at a time, so this says nothing of many clients.
//
// `npm run bench:peers` installs the others from npm into a temporary folder, which can take minutes: Directus is 700 MB,
// and its driver of SQLite may have to be compiled. `npm run bench:peers -- folder` keeps them there for the next run.

const ROUNDS = 40
const REQUESTS_PER_ROUND = 3
const STARTS = 7
const IDLE_MS = 3000
/** No round begins after this. */
const MEASURING_MS = 10 * 60_000

type Figure = 'create' | 'list' | 'start' | 'memory'
type Figures = Record<Figure, number[]>
const ROWS: Record<Figure, [label: string, digits: number]> = {
  create: ['create, ms', 1],
  list: [`list of ${LISTED}, ms`, 1],
  start: ['start to first answer, s', 2],
  memory: ['memory idle, MB', 0],
}

async function msOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

/** Those that can be prepared. Says of each other why it is left out. */
async function prepared(peers: Peer[]): Promise<Peer[]> {
  const ready: Peer[] = []
  for (const peer of peers) {
    try {
      await peer.prepare()
      ready.push(peer)
    } catch (error) {
      console.log(`${peer.name} is left out: ${(error as Error).message.replaceAll('\n', ' ')}`)
    }
  }
  return ready
}

async function measureStarts(all: Map<Peer, Figures>, endsAt: number): Promise<void> {
  // The first ones only warm up.
  for (let round = 0; round <= STARTS && performance.now() < endsAt; round++) {
    for (const [peer, figures] of all) {
      let running: Running | undefined
      const ms = await msOf(async () => {
        running = await peer.start()
      })
      try {
        await sleep(IDLE_MS)
        if (round === 0) continue
        figures.start.push(ms / 1000)
        figures.memory.push(megabytesOfFamily(running?.pid ?? 0))
      } finally {
        await running?.stop()
      }
    }
  }
}

async function measureRequests(all: Map<Peer, Figures>, endsAt: number): Promise<void> {
  const running: [Running, Figures][] = []
  try {
    for (const [peer, figures] of all) running.push([await peer.start(), figures])
    for (let round = 0; round <= ROUNDS && performance.now() < endsAt; round++) {
      for (const [service, figures] of running) {
        for (let nth = 0; nth < REQUESTS_PER_ROUND; nth++) {
          const [create, list] = [await msOf(service.create), await msOf(service.list)]
          if (round === 0) continue
          figures.create.push(create)
          figures.list.push(list)
        }
      }
    }
  } finally {
    await Promise.all(running.map(([service]) => service.stop()))
  }
}

function printTable(all: Map<Peer, Figures>): void {
  const row = (cells: string[]) => console.log(`| ${cells.join(' | ')} |`)
  row(['', ...[...all.keys()].map(({ name }) => name)])
  row(['---', ...[...all].map(() => '---')])
  for (const [figure, [label, digits]] of Object.entries(ROWS) as [Figure, [string, number]][]) {
    const inWords = (values: number[]) => {
      const [middle, low, high] = [median(values), quantile(values, 0.25), quantile(values, 0.75)]
      return `${middle.toFixed(digits)} (${low.toFixed(digits)} to ${high.toFixed(digits)})`
    }
    row([label, ...[...all.values()].map(figures => inWords(figures[figure]))])
  }
}

const loads = () =>
  loadavg()
    .map(load => load.toFixed(1))
    .join(' ')

const [kept] = process.argv.slice(2)
const temporary = mkdtempSync(join(tmpdir(), 'placard-peers-'))
const sites = await startServer('sites', [])
try {
  const others = kept === undefined ? temporary : resolve(kept)
  const peers = await prepared([placard(temporary, sites.url), directus(others), jsonServer(others)])
  const all = new Map(
    peers.map(peer => [peer, { create: [], list: [], start: [], memory: [] } satisfies Figures as Figures]),
  )
  const endsAt = performance.now() + MEASURING_MS
  const loadBefore = loads()
  await measureRequests(all, endsAt)
  await measureStarts(all, endsAt)
  console.log(
    `\n${new Date().toISOString().slice(0, 10)}, Node ${process.versions.node}, ${ITEMS} items in each.`,
  )
  console.log(`Median, and the middle half. Load of the machine ${loadBefore} before, ${loads()} after.\n`)
  printTable(all)
} finally {
  await sites.stop()
  rmSync(temporary, { recursive: true, force: true })
}
