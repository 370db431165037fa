import { join } from 'node:path'
import { BOARDS_PATH, QUOTE_PATH } from '@placard/contract'
import Sqlite from 'better-sqlite3'
import { type BoardCursor, writeBoardCursor } from '../server/dist/domain/boards/listed-places.js'
import { compare, heading } from './compare.ts'
import type { FilledBoard } from './fill-board.ts'
import type { Target } from './load.ts'
import { json, quoteBody, WIDE_ENV } from './requests.ts'
import { type ServerProcess, startServer } from './server-process.ts'

/** Requests on a large board against a small one: the same cost, if rank is constant work. */
export async function boardFigures({
  small,
  large,
}: {
  small: FilledBoard
  large: FilledBoard
}): Promise<void> {
  const inWords = (board: FilledBoard) => board.destinations.toLocaleString('en')
  heading(
    `Rate with ${inWords(large)} paid destinations on the board as a share of that with ${inWords(small)}`,
  )
  const servers = [await serverOf(large), await serverOf(small)] as const
  try {
    const [many, few] = servers
    const quote = { method: 'POST' as const, path: QUOTE_PATH, headers: json, body: quoteBody, status: 200 }
    await compare('quote', { ...quote, server: many }, { ...quote, server: few }, { atLeast: 0.9 })
    const first = { path: `${BOARDS_PATH}/all`, status: 200 }
    await compare('first page', { ...first, server: many }, { ...first, server: few }, { atLeast: 0.9 })
    await compare('page in the middle', middleOf(large, many), middleOf(small, few), undefined)
  } finally {
    await Promise.all(servers.map(server => server.stop()))
  }
}

const serverOf = ({ dataDir }: FilledBoard) => startServer('placard', [], { ...WIDE_ENV, DATA_DIR: dataDir })

function middleOf({ dataDir, destinations }: FilledBoard, server: ServerProcess): Target {
  const db = new Sqlite(join(dataDir, 'placard.db'), { readonly: true })
  const middle = db
    .prepare(
      `select totalCents as totalCents, reachedAt as reachedAt, destinationKey as destinationKey
      from board_total where board = 'all' and shown = 1
      order by totalCents desc, reachedAt, destinationKey limit 1 offset ?`,
    )
    .get(destinations / 2) as BoardCursor
  db.close()
  return { server, path: `${BOARDS_PATH}/all?cursor=${writeBoardCursor(middle, 'all')}`, status: 200 }
}
