import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { boardFigures } from './board-figures.ts'
import { boardStoryFigures } from './board-story-figures.ts'
import { deletingFigures } from './deleting-figures.ts'
import { eventFigures } from './event-figures.ts'
import { fillBoard } from './fill-board.ts'
import { fillListings } from './fill-listings.ts'
import { hideFigures } from './hide-figures.ts'
import { hostileFigures } from './hostile-figures.ts'
import { pageFigures } from './page-figures.ts'
import { paintFigures } from './paint-figures.ts'
import { publishFigures } from './publish-figures.ts'
import { rankFigures } from './rank-figures.ts'
import { searchFigures } from './search-figures.ts'

/** Every figure, each a ratio of two measurements taken in turns in this one run. */
export async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'placard-bench-'))
  const listings = (count: number) => fillListings(join(folder, `listings-${count}`), count)
  const board = (destinations: number) => fillBoard(join(folder, `board-${destinations}`), destinations)
  try {
    await publishFigures(join(folder, 'publish'))
    await hostileFigures(join(folder, 'hostile'))
    await deletingFigures(join(folder, 'deleting'))
    await pageFigures({ few: await listings(1000), many: await listings(100_000) })
    await searchFigures(join(folder, 'search'))
    const small = await board(1000)
    await paintFigures(small)
    const boards = { small, middle: await board(100_000), large: await board(1_000_000) }
    await boardFigures(boards)
    await rankFigures(boards)
    await boardStoryFigures({ ...boards, plain: await fillBoard(join(folder, 'plain'), 100_000) })
    await eventFigures(boards)
    await hideFigures(boards)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
