import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { backupFigures } from './backup-figures.ts'
import { boardFigures } from './board-figures.ts'
import { boardStoryFigures } from './board-story-figures.ts'
import { delayFigures } from './delay-figures.ts'
import { deletingFigures } from './deleting-figures.ts'
import { eventFigures } from './event-figures.ts'
import { fillBoard } from './fill-board.ts'
import { fillListings } from './fill-listings.ts'
import { hideFigures } from './hide-figures.ts'
import { hostileFigures } from './hostile-figures.ts'
import { lookingFigures } from './looking-figures.ts'
import { modelFigures } from './model-figures.ts'
import { movingFigures } from './moving-figures.ts'
import { pageFigures } from './page-figures.ts'
import { paintFigures } from './paint-figures.ts'
import { postgresFigures } from './postgres-figures.ts'
import { publishFigures } from './publish-figures.ts'
import { rankFigures } from './rank-figures.ts'
import { capabilitiesFigures, quoteFigures, refusalFigures, replayFigures } from './reply-figures.ts'
import { searchFigures } from './search-figures.ts'
import { startFigures } from './start-figures.ts'
import { waitingFigures } from './waiting-figures.ts'
import { workersFigures } from './workers-figures.ts'

/** The parts, in the order in which they run. `count` is asked for by name=count. */
const PARTS: Record<string, (made: Made, count?: number) => Promise<void>> = {
  capabilities: ({ folder }) => capabilitiesFigures(folder('capabilities')),
  quote: async ({ board }) => quoteFigures(await board(1_000_000)),
  replay: ({ folder }) => replayFigures(folder('replay')),
  postgres: ({ folder }) => postgresFigures(folder('postgres')),
  refusals: ({ folder }) => refusalFigures(folder('refusals')),
  publish: ({ folder }) => publishFigures(folder('publish')),
  waiting: ({ folder }) => waitingFigures(folder('waiting')),
  start: async ({ folder, board }) => startFigures(folder('start'), await board(1_000_000)),
  workers: ({ folder }) => workersFigures(folder('workers')),
  hostile: ({ folder }) => hostileFigures(folder('hostile')),
  deleting: ({ folder }) => deletingFigures(folder('deleting')),
  pages: async ({ listings }) => pageFigures({ few: await listings(1000), many: await listings(100_000) }),
  model: async ({ listings }) => modelFigures(await listings(100_000)),
  delay: ({ folder }) => delayFigures(folder('delay')),
  moving: ({ folder }) => movingFigures(folder('moving')),
  backup: ({ folder }, count = 1_000_000) => backupFigures(folder('backup'), count),
  looking: async ({ folder, listings }, count = 100_000) =>
    lookingFigures(folder('looking'), await listings(count)),
  search: ({ folder }) => searchFigures(folder('search')),
  paint: async ({ board }) => paintFigures(await board(1000)),
  boards: async ({ boards }) => boardFigures(await boards()),
  rank: async ({ boards }) => rankFigures(await boards()),
  stories: async ({ boards, folder }) =>
    boardStoryFigures({ ...(await boards()), plain: await fillBoard(folder('plain'), 100_000) }),
  events: async ({ boards }) => eventFigures(await boards()),
  hiding: async ({ boards }) => hideFigures(await boards()),
}

/** What the parts measure on, each made once, when it is first needed. */
function made(root: string) {
  const folder = (name: string) => join(root, name)
  const once = <T>(make: (count: number) => T) => {
    const kept = new Map<number, T>()
    return (count: number): T => {
      const known = kept.get(count) ?? make(count)
      kept.set(count, known)
      return known
    }
  }
  const listings = once(count => fillListings(folder(`listings-${count}`), count))
  const board = once(destinations => fillBoard(folder(`board-${destinations}`), destinations))
  const boards = async () => ({
    small: await board(1000),
    middle: await board(100_000),
    large: await board(1_000_000),
  })
  return { folder, listings, board, boards }
}

type Made = ReturnType<typeof made>

/**
 * Measures every figure, each a ratio of two measurements taken in turns in this one run.
 *
 * @param words names of the parts to run; all, if there are none. Some take how many listings there are: `backup=10000`
 */
export async function main(words: string[]): Promise<void> {
  const asked = new Map<string, string | undefined>(words.map(splitAtEquals))
  const unknown = [...asked.keys()].filter(name => !(name in PARTS))
  if (unknown.length > 0) {
    console.error(`No such part: ${unknown.join(', ')}. There are ${Object.keys(PARTS).join(', ')}.`)
    process.exitCode = 1
    return
  }
  const root = mkdtempSync(join(tmpdir(), 'placard-bench-'))
  try {
    const needed = made(root)
    for (const [name, measure] of Object.entries(PARTS)) {
      const count = asked.get(name)
      if (asked.size === 0 || asked.has(name)) await measure(needed, count ? Number(count) : undefined)
    }
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

function splitAtEquals(word: string): [string, string | undefined] {
  const [name = '', count] = word.split('=', 2)
  return [name, count]
}
