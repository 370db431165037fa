import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { type BoardCursor, writeBoardCursor } from '../server/dist/domain/boards/listed-places.js'
import { openStore } from '../server/dist/platform/db/open.js'
import { daysMs, utcDay } from '../server/dist/platform/lib/time.js'
import { compare, heading, inTurns, noise, ratios, report, type Wanted } from './compare.ts'
import { applyingMicros } from './event-figures.ts'
import { type FilledBoard, fillDay, randomNumbers } from './fill-board.ts'
import { median, type Target } from './load.ts'
import { WIDE_ENV } from './requests.ts'
import { type ServerProcess, startServer } from './server-process.ts'

const CATEGORY_BOARD = '/category/games/board'
/** As far down as ranks are told, nearly. */
const FAR_PLACE = 900

interface Boards {
  small: FilledBoard
  middle: FilledBoard
  large: FilledBoard
  /** As `middle`, to be left without the index of the categories. */
  plain: FilledBoard
}

/** What the boards of categories and past days cost: who reads them, and the payments. */
export async function boardStoryFigures({ small, middle, large, plain }: Boards): Promise<void> {
  const yesterday = utcDay(Date.now() - daysMs(1))
  for (const board of [small, middle]) await fillDay(board, yesterday)
  const pastDay = `/board/today/${yesterday}`
  await pageFigures('board of a category', [large, small], CATEGORY_BOARD, {
    board: 'all',
    cursorOf: CATEGORY_BOARD,
    wanted: { atLeast: 0.9 },
  })
  await pageFigures('board of a category', [middle, small], CATEGORY_BOARD, {
    board: 'all',
    cursorOf: CATEGORY_BOARD,
    wanted: { atLeast: 0.9 },
  })
  // Its count looks at up to a thousand listings, which a small table has all in memory.
  await pageFigures('past day', [middle, small], pastDay, { board: yesterday, cursorOf: yesterday })
  // Last: its payments are of another processor than that of the service which serves pages.
  await eventFigure(middle, plain)
}

async function eventFigure(board: FilledBoard, plain: FilledBoard): Promise<void> {
  heading('Applying the event of a new payment with the boards of categories, as a multiple of without')
  const db = new Sqlite(join(plain.dataDir, 'placard.db'))
  db.exec('drop index board_total_of_category')
  db.close()
  const open = async (filled: FilledBoard) => {
    const store = await openStore({ databaseUrl: undefined, dataDir: filled.dataDir })
    const random = randomNumbers()
    const apply = () => applyingMicros(store, filled, random)
    // Warms up.
    await apply()
    return { store, apply }
  }
  const [one, other] = [await open(board), await open(plain)]
  const [ours, bare] = await inTurns(one.apply, other.apply)
  await Promise.all([one.store.close(), other.store.close()])
  report(`among ${board.destinations.toLocaleString('en')}`, ratios(ours, bare), { atMost: 1.1 })
  console.log(`    ${median(ours).toFixed(0)} µs  against  ${median(bare).toFixed(0)} µs; ${noise(bare)}`)
}

async function pageFigures(
  name: string,
  [many, few]: readonly [FilledBoard, FilledBoard],
  path: string,
  far: { board: string; cursorOf: string; wanted?: Wanted },
): Promise<void> {
  const inWords = ({ destinations }: FilledBoard) => destinations.toLocaleString('en')
  heading(
    `Rate of the page of a ${name} with ${inWords(many)} places as a share of that with ${inWords(few)}`,
  )
  const servers = [await serverOf(many), await serverOf(few)] as const
  try {
    const first = (server: ServerProcess): Target => ({ server, path, status: 200 })
    await compare('first page', first(servers[0]), first(servers[1]), { atLeast: 0.9 })
    const after = ({ dataDir }: FilledBoard, server: ServerProcess): Target => ({
      server,
      path: `${path}?cursor=${writeBoardCursor(placeAt(dataDir, far.board), far.cursorOf)}`,
      status: 200,
    })
    await compare(
      `page after place ${FAR_PLACE}`,
      after(many, servers[0]),
      after(few, servers[1]),
      far.wanted,
    )
  } finally {
    await Promise.all(servers.map(server => server.stop()))
  }
}

const serverOf = ({ dataDir }: FilledBoard) => startServer('placard', [], { ...WIDE_ENV, DATA_DIR: dataDir })

function placeAt(dataDir: string, board: string): BoardCursor {
  const db = new Sqlite(join(dataDir, 'placard.db'), { readonly: true })
  const place = db
    .prepare(
      `select totalCents as totalCents, reachedAt as reachedAt, destinationKey as destinationKey
      from board_total where board = ? and shown = 1
      order by totalCents desc, reachedAt, destinationKey limit 1 offset ?`,
    )
    .get(board, FAR_PLACE - 1) as BoardCursor
  db.close()
  return place
}
