import { leafHash, type ReadTile, TILE_WIDTH, treeRoot, writeBundle } from '@placard/contract/log'
import { statement } from '../../platform/db/statement.ts'
import type { Runner } from '../../platform/db/store.ts'
import { COMMAND } from '../../platform/lib/package.ts'

/**
 * Returns the tree of the log as the store has it. The hashes of entries are computed when they are read, which costs
 * less than storing them: only the roots of full tiles are stored.
 */
export function logTree(runner: Runner) {
  const entriesOf = async (index: number, width: number): Promise<string[]> => {
    const from = index * TILE_WIDTH
    const rows = await entriesBetween(runner, { from, until: from + width })
    if (rows.length !== width) throw missing(`entries from ${from} on`)
    return rows.map(({ entry }) => entry)
  }
  const readTile: ReadTile = async (level, index, width) => {
    if (level === 0) return Buffer.concat((await entriesOf(index, width)).map(leafHash))
    const from = index * TILE_WIDTH
    const rows = await nodesBetween(runner, { level, from, until: from + width })
    if (rows.length !== width) throw missing(`hashes of level ${level} from ${from} on`)
    return Buffer.concat(rows.map(({ hash }) => hash))
  }
  return {
    readTile,
    size: async (): Promise<number> => (await headOf(runner, {}))[0]?.size ?? 0,
    /** Returns the root that the log had at a size. */
    rootAt: (size: number): Promise<Buffer> => treeRoot(size, readTile),
    /** Returns the bundle of the entries under a tile of level 0. */
    bundle: async (index: number, width: number): Promise<Buffer> => writeBundle(await entriesOf(index, width)),
    /** Returns the text of an entry, or undefined if there is none yet. */
    entry: async (index: number): Promise<string | undefined> =>
      (await entriesBetween(runner, { from: index, until: index + 1 }))[0]?.entry,
  }
}

const missing = (what: string) => new Error(`the log lacks ${what}: run ${COMMAND} audit verify`)

const headOf = statement({}, (_, db) => db.selectFrom('log_head').select('size'))

const entriesBetween = statement({ from: 'bigint', until: 'bigint' }, ({ from, until }, db) =>
  db
    .selectFrom('log_entry')
    .select('entry')
    .where('position', '>=', from)
    .where('position', '<', until)
    .orderBy('position'),
)

const nodesBetween = statement({ level: 'bigint', from: 'bigint', until: 'bigint' }, ({ level, from, until }, db) =>
  db
    .selectFrom('log_node')
    .select('hash')
    .where('level', '=', level)
    .where('index', '>=', from)
    .where('index', '<', until)
    .orderBy('index'),
)
