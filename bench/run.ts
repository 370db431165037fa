import '../server/dist/node-version.js'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Filled, fill } from './fill.ts'
import { logFigures } from './log.ts'
import { startFigures, workersFigures } from './processes.ts'
import { pageFigures, postgresFigures, postgresPublishFigures, refusalFigures, replyFigures } from './replies.ts'
import { searchFigures } from './search.ts'
import { shareFigures } from './share.ts'
import { streamFigures } from './streams.ts'
import { waitingFigures } from './waiting.ts'
import { eventFigures, publishFigures } from './writes.ts'

// npm run bench, or parts of it: npm run bench -- capabilities quote=10000. Each figure is a ratio of two measurements
// taken in turns in this one run.

const root = mkdtempSync(join(tmpdir(), 'placard-bench-'))
const folder = (name: string) => join(root, name)

const known = new Map<string, Promise<Filled>>()
/** Fills a folder of each size once, when it is first needed. */
function filled(count: number, arePaid = false): Promise<Filled> {
  const name = `${count}-${arePaid ? 'paid' : 'free'}`
  const made = known.get(name) ?? fill(folder(name), count, arePaid)
  known.set(name, made)
  return made
}

/** The parts, in the order in which they run. Those with a `count` accept it as name=count. */
const PARTS: Record<string, (count?: number) => Promise<void>> = {
  capabilities: () => replyFigures({ DATA_DIR: folder('capabilities') }, { capabilities: 0.95 }),
  quote: async (count = 1_000_000) => replyFigures({ DATA_DIR: (await filled(count, true)).dataDir }, { quote: 0.6 }),
  replay: () => replyFigures({ DATA_DIR: folder('replay') }, { replay: 0.45 }),
  postgres: () => postgresFigures(folder('postgres')),
  refusals: () => refusalFigures(folder('refusals')),
  publish: () => publishFigures(folder('publish')),
  'publish-postgres': () => postgresPublishFigures(folder('publish-postgres')),
  waiting: () => waitingFigures(folder('waiting')),
  start: async (count = 1_000_000) => startFigures(folder('start'), await filled(count, true)),
  workers: () => workersFigures(folder('workers')),
  pages: async (count = 100_000) => pageFigures(await filled(count), await filled(1000)),
  share: async () => shareFigures(await filled(2000)),
  search: (count = 1_000_000) => searchFigures(folder('search'), count),
  ndjson: async (count = 1_000_000) => streamFigures(await filled(count, true)),
  log: (count = 1_000_000) => logFigures(folder('log'), count),
  events: async (count = 1_000_000) => eventFigures([await filled(1000, true), await filled(count, true)]),
}

const asked = new Map<string, string | undefined>()
for (const [name = '', count] of process.argv.slice(2).map(word => word.split('='))) asked.set(name, count)
const unknown = [...asked.keys()].filter(name => !(name in PARTS))
if (unknown.length > 0) {
  console.error(`No such part: ${unknown.join(', ')}. There are ${Object.keys(PARTS).join(', ')}.`)
  process.exitCode = 1
}
try {
  for (const [name, measure] of Object.entries(unknown.length > 0 ? {} : PARTS)) {
    const count = asked.get(name)
    if (asked.size === 0 || asked.has(name)) await measure(count ? Number(count) : undefined)
  }
} finally {
  rmSync(root, { recursive: true, force: true })
}
