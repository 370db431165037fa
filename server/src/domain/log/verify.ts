import { hash } from 'node:crypto'
import {
  type Checkpoint,
  checkpointText,
  entryText,
  type LogEntry,
  leafHash,
  openNote,
  parseCheckpoint,
  parseEntry,
  Replay,
  rootOfHashes,
  splitNote,
  TILE_WIDTH,
  TreeBuilder,
} from '@placard/contract/log'
import { sql } from 'kysely'
import { type Db, readOneMoment, type Store } from '../../platform/db/store.ts'
import { FACTS_DAYS, FACTS_END } from '../../platform/db/tables/decisions.ts'
import { daysMs } from '../../platform/lib/time.ts'
import { countKey } from '../decisions/counts.ts'
import { entryOfEffect } from './outbox.ts'
import { entryOfDecision, type LoggedDecision } from './private-part.ts'
import { findBoardFault, findDrawFault, findMiscounted, findOutsideLog, findUndecided } from './verify-store.ts'

/** The result of a verification: the whole log, or its first fault. */
export interface Verified {
  entries: number
  decisions: number
  /** The root of these entries. */
  root: Buffer
  fault?: string
}

const BATCH = 512

/**
 * Verifies the log as everyone can: the replay of its entries, its tree, and the boards and draws that follow. Then what
 * only the operator can: the private part of each entry, decisions outside the log or without facts, the monthly
 * counts, hidden listings without a decision, and the seeds of draws. Reads one moment.
 *
 * @param note a former checkpoint: the log must still contain it
 * @throws Error in one line if `note` is not a checkpoint
 */
export const verifyLog = (store: Store, now: number, note?: string): Promise<Verified> =>
  readOneMoment(store, async db => {
    const audit = new Audit(await readRoots(db, note))
    const fault =
      (await audit.walk(db, now)) ??
      audit.endFault(note) ??
      (await audit.noteFault(db)) ??
      (await findOutsideLog(db, now)) ??
      (await findMiscounted(db, audit.counts)) ??
      (await findUndecided(db)) ??
      (await audit.replayFault(db))
    const { tree, decisions } = audit
    return { entries: tree.size, decisions, root: tree.root(), ...(fault !== undefined && { fault }) }
  })

/** A root that the log must have had at a size, and what is wrong otherwise. */
interface KnownRoot {
  size: number
  root: Buffer
  otherwise: string
}

async function readRoots(db: Db, note: string | undefined): Promise<KnownRoot[]> {
  const draws = await db
    .selectFrom('draw')
    .select(['day', 'seed', 'logSize'])
    .where('logSize', 'is not', null)
    .execute()
  const stored = await db.selectFrom('log_checkpoint').select(['origin', 'size', 'root']).executeTakeFirst()
  const given = note === undefined ? undefined : parseCheckpoint(splitNote(note).text)
  const contains = ({ origin, size }: Pick<Checkpoint, 'origin' | 'size'>) => {
    const isOther = stored !== undefined && origin !== stored.origin
    const why = isOther
      ? `it is of ${origin}, not of ${stored.origin}`
      : 'its last entries were deleted, or it was rewritten'
    return `the log does not contain the checkpoint of ${size} entries: ${why}`
  }
  return [
    ...draws.map(({ day, seed, logSize }) => ({
      size: Number(logSize),
      root: Buffer.from(seed, 'hex'),
      otherwise: `the draw of ${day} has a seed that is not the root of the log at its size`,
    })),
    ...(stored ? [{ size: stored.size, root: Buffer.from(stored.root, 'base64'), otherwise: contains(stored) }] : []),
    ...(given ? [{ ...given, otherwise: contains(given) }] : []),
  ]
}

type Row = Omit<LoggedDecision, 'id' | 'position'> & {
  index: number
  entry: string
  decisionId: string | null
  id: string | null
  position: number | null
}

class Audit {
  readonly tree = new TreeBuilder()
  readonly counts = new Map<string, number>()
  decisions = 0
  readonly #replay = new Replay()
  /** By level, the hashes of the tile that is not full yet. */
  readonly #tiles: Buffer[][] = [[]]
  readonly #roots: Map<number, KnownRoot[]>

  constructor(roots: readonly KnownRoot[]) {
    this.#roots = Map.groupBy(roots, ({ size }) => size)
  }

  /** Adds all entries, a few hundred at a time. @returns the first fault */
  async walk(db: Db, now: number): Promise<string | undefined> {
    for (;;) {
      const rows = await rowsFrom(db, this.tree.size)
      for (const row of rows) {
        const fault = this.#rootFault() ?? this.#entryFault(row, now) ?? (await this.#nodeFault(db))
        if (fault) return fault
      }
      if (rows.length < BATCH) break
    }
    const head = await db.selectFrom('log_head').select('size').executeTakeFirst()
    const size = head?.size ?? 0
    return this.#rootFault() ?? (size === this.tree.size ? undefined : `entry ${this.tree.size} of the log is missing`)
  }

  #entryFault(row: Row, now: number): string | undefined {
    const index = this.tree.size
    if (row.index !== index) return `entry ${index} of the log is missing`
    let entry: LogEntry
    try {
      entry = parseEntry(row.entry, `Entry ${index} of the log`)
      this.#replay.add(entry)
    } catch (error) {
      return lowerFirst((error as Error).message.replace(/\.$/, ''))
    }
    const isOfDecision = entry.private !== undefined
    if (isOfDecision !== (row.decisionId !== null)) return `entry ${index} of the log does not name its decision`
    const fault = isOfDecision ? decisionFault(row, entry, now) : undefined
    if (fault) return fault
    if (isOfDecision) {
      const key = countKey(row)
      this.counts.set(key, (this.counts.get(key) ?? 0) + 1)
      this.decisions++
    }
    const leaf = leafHash(row.entry)
    this.tree.add(leaf)
    this.#tiles[0]?.push(leaf)
    return undefined
  }

  /** Compares what is stored of the tree: the roots of the tiles that the last entry filled. */
  async #nodeFault(db: Db): Promise<string | undefined> {
    for (let level = 0; this.#tiles[level]?.length === TILE_WIDTH; level++) {
      const index = this.tree.size / TILE_WIDTH ** (level + 1) - 1
      const root = rootOfHashes(Buffer.concat(this.#tiles[level] ?? []))
      const stored = await db
        .selectFrom('log_node')
        .select('hash')
        .where('level', '=', level + 1)
        .where('index', '=', index)
        .executeTakeFirst()
      if (!stored?.hash.equals(root))
        return `an entry before ${this.tree.size} of the log, or a hash of them, was changed`
      this.#tiles[level] = []
      this.#tiles[level + 1] ??= []
      this.#tiles[level + 1]?.push(root)
    }
    return undefined
  }

  #rootFault(): string | undefined {
    const known = this.#roots.get(this.tree.size)
    if (!known) return undefined
    const root = this.tree.root()
    const wrong = known.find(each => !each.root.equals(root))
    this.#roots.delete(this.tree.size)
    return wrong?.otherwise
  }

  /** @returns what is wrong with a known root that the log never reached, or with the signatures of a given checkpoint */
  endFault(note: string | undefined): string | undefined {
    const [[missing] = []] = this.#roots.values()
    if (missing) return missing.otherwise
    if (note === undefined) return undefined
    try {
      if (openNote(note, this.#replay.keys).signatures.length > 0) return undefined
    } catch (error) {
      return lowerFirst((error as Error).message)
    }
    return 'no key of the log signed the checkpoint that you gave'
  }

  /** Checks the stored checkpoint as visitors get it. Its size and root were compared before. */
  async noteFault(db: Db): Promise<string | undefined> {
    const stored = await db.selectFrom('log_checkpoint').selectAll().executeTakeFirst()
    if (!stored) return undefined
    const { origin, size, root, note } = stored
    try {
      const { text } = openNote(note, this.#replay.keys)
      const says = checkpointText({ origin, size, root: Buffer.from(root, 'base64') })
      if (text === says) return undefined
    } catch {
      // It gets the same answer as a checkpoint with another text.
    }
    return `the stored checkpoint of ${size} entries has another text than its size and root`
  }

  /** Compares the boards and draws with those of the log, to which it adds the pending effects. */
  async replayFault(db: Db): Promise<string | undefined> {
    // The service begins the log when it first runs.
    if (this.#replay.size === 0) return undefined
    for (const effect of await db.selectFrom('log_outbox').selectAll().orderBy('id').execute()) {
      if (effect.kind === 'began') continue
      try {
        const notBefore = new Date(effect.at).toISOString()
        this.#replay.add(entryOfEffect(effect, { index: this.#replay.size, notBefore }))
      } catch (error) {
        return `a pending effect does not follow from the log: ${(error as Error).message}`
      }
    }
    return (await findBoardFault(db, this.#replay)) ?? findDrawFault(db, this.#replay)
  }
}

const lowerFirst = (sentence: string) => sentence.charAt(0).toLowerCase() + sentence.slice(1)

async function rowsFrom(db: Db, index: number): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select decision.*, listing.url, logged.position as "index", logged.entry, logged."decisionId"
    from log_entry as logged
      left join decision on decision.id = logged."decisionId"
      left join listing on listing.id = decision."listingId"
    where logged.position >= ${index} order by logged.position limit ${sql.lit(BATCH)}`.execute(db)
  return rows
}

function decisionFault(row: Row, entry: LogEntry, now: number): string | undefined {
  const { decisionId, id, position, salt, facts, factsHash, kind, at } = row
  const named = `decision ${decisionId}, entry ${entry.index} of the log,`
  if (id === null) return `${named} is missing`
  if (position !== entry.index) return `${named} has another position`
  const { index, notBefore } = entry
  const place = { index, ...(notBefore !== undefined && { notBefore }) }
  if (salt === null || entryText(entryOfDecision({ ...row, id, position, salt }, place)) !== row.entry) {
    return `${named} was changed, moved or replaced`
  }
  if (facts !== null) return hash('sha256', facts) === factsHash ? undefined : `the facts of ${named} were changed`
  const mayHaveEnded = FACTS_END.includes(kind) && at < now - daysMs(FACTS_DAYS)
  return mayHaveEnded ? undefined : `the facts of ${named} were deleted too early`
}
