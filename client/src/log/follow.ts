import {
  type Checkpoint,
  HASH_BYTES,
  type LogEntry,
  leafHash,
  type NoteSignature,
  openNote,
  parseCheckpoint,
  parseEntry,
  Replay,
  type SavedReplay,
  type Standing,
  splitNote,
  TILE_WIDTH,
} from '@placard/contract/log'
import { counted } from '../service/text.ts'
import { Disagreement, orDisagree } from './disagreement.ts'
import { type ComputedTile, GrowingTree } from './growing-tree.ts'
import { inOrder, type LogFiles } from './log-files.ts'
import { isRewritten, type Seen } from './rewritten.ts'

/** What is kept of a log between two runs: all that is needed to check that it only grows. */
export interface KeptLog {
  origin: string
  /** The keys that may sign it. */
  keys: string[]
  /** The latest checkpoint, as it was signed. */
  note: string
  /** The hashes of the tiles that are not full, by level, in base64. */
  edge: string[]
  replay: SavedReplay
}

/** Keys given by the caller, who has them from elsewhere. */
export interface GivenKeys {
  keys: readonly string[]
  witnesses: readonly string[]
}

/** A log as far as it was checked: every entry up to a checkpoint, which one of its keys signed. */
export class FollowedLog {
  readonly #files: LogFiles
  readonly #given: GivenKeys
  /** Those of earlier runs, or of earlier checkpoints. */
  #trusted: readonly string[]
  #tree: GrowingTree
  #replay: Replay
  #seen: Seen | undefined
  #note = ''
  #signatures: NoteSignature[] = []
  /** The checkpoint that was read last, whether it is right or not. */
  lastNote = ''
  /** By board and listing, what it was and became while `#isWatched`. */
  readonly #moves = new Map<string, Standing[]>()
  #isWatched = false

  constructor(files: LogFiles, given: GivenKeys, kept?: KeptLog) {
    this.#files = files
    this.#given = given
    this.#trusted = [...given.keys, ...(kept?.keys ?? [])]
    const edge = kept?.edge.map(hashes => Buffer.from(hashes, 'base64'))
    this.#tree = new GrowingTree(kept?.replay.size, edge)
    this.#replay = kept ? Replay.load(kept.replay) : new Replay()
    this.#note = kept?.note ?? ''
    if (kept) this.#seen = { ...parseCheckpoint(splitNote(kept.note).text), edge: this.#tree.edge() }
  }

  get replay(): Replay {
    return this.#replay
  }

  /** The latest checkpoint that was verified. */
  get checkpoint(): Checkpoint {
    if (!this.#seen) throw new Error('The log was not read yet.')
    return this.#seen
  }

  /** The keys and witnesses that signed the latest checkpoint. */
  get signatures(): readonly NoteSignature[] {
    return this.#signatures
  }

  /** Returns the witnesses of the caller that have not cosigned the latest checkpoint. */
  missingWitnesses(): string[] {
    return this.#given.witnesses.filter(vkey => !this.#signatures.some(signature => signature.vkey === vkey))
  }

  /**
   * Reads the latest checkpoint and all entries up to it, and checks that they continue what was seen before.
   *
   * @throws Disagreement
   */
  async advance(): Promise<void> {
    const note = await this.#files.checkpoint()
    this.lastNote = note
    const text = orDisagree('checkpoint_malformed', () => splitNote(note).text)
    const checkpoint = orDisagree('checkpoint_malformed', () => parseCheckpoint(text))
    // Keys that are only in the log itself are no reason to trust what is signed with them, except the first time.
    if (this.#trusted.length > 0) this.#signatures = this.#open(note, this.#trusted)
    const seen = this.#seen
    if (seen && checkpoint.size < seen.size) {
      throw new Disagreement(
        'log_went_back',
        `The log has ${counted(checkpoint.size, 'entry', 'entries')}, and had ${seen.size} before.`,
      )
    }
    try {
      await this.#readTo(checkpoint)
    } catch (error) {
      const mayBe = error instanceof Disagreement && seen !== undefined
      if (mayBe && (await isRewritten(this.#files, seen, checkpoint))) throw await this.#rewritten(seen, checkpoint)
      throw error
    }
    if (this.#trusted.length === 0) this.#signatures = this.#open(note, this.#replay.keys)
    if (this.#replay.origin !== checkpoint.origin) {
      throw new Disagreement(
        'origin_wrong',
        `The checkpoint is of the log ${checkpoint.origin}, but its entries are of the log ${this.#replay.origin}.`,
      )
    }
    this.#trusted = [...new Set([...this.#trusted, ...this.#replay.keys])]
    this.#note = note
    this.#seen = { ...checkpoint, edge: this.#tree.edge() }
    this.#isWatched = true
  }

  #open(note: string, keys: readonly string[]): NoteSignature[] {
    const { signatures } = orDisagree('signature_wrong', () => openNote(note, [...keys, ...this.#given.witnesses]))
    if (signatures.some(({ vkey }) => keys.includes(vkey))) return signatures
    const names = splitNote(note).lines.map(({ name, bytes }) => `${name}+${bytes.subarray(0, 4).toString('hex')}`)
    throw new Disagreement(
      'signature_missing',
      `No key of the log that you trust signed its checkpoint, which is signed by ${names.join(', ')}. If the operator confirms a new key, pass it with --key.`,
    )
  }

  async #readTo(checkpoint: Checkpoint): Promise<void> {
    const { size, root } = checkpoint
    const start = this.#tree.size
    const read = async (index: number) => {
      const width = Math.min(TILE_WIDTH, size - index * TILE_WIDTH)
      return { index, bundle: await this.#files.bundle(index, width) }
    }
    const computed: ComputedTile[] = []
    for await (const { index, bundle } of inOrder(bundlesOf(start, size), read)) {
      const entries = bundle.entries()
      const isSeen = index * TILE_WIDTH < start ? start - index * TILE_WIDTH : 0
      this.#checkSeen(index, entries.slice(0, isSeen))
      for (const entry of entries.slice(isSeen)) computed.push(...this.#add(entry))
      await this.#compareTiles(computed.splice(0))
    }
    if (start < size) await this.#compareTiles(this.#tree.partialTiles())
    if (!(await this.#tree.root()).equals(root)) {
      throw new Disagreement(
        'root_wrong',
        `The ${size} entries of the log do not have the root that its checkpoint states.`,
      )
    }
  }

  /** The entries before those that are new in a bundle must be the ones that were there. */
  #checkSeen(index: number, entries: readonly Buffer[]): void {
    const known = this.#seen?.edge[0] ?? Buffer.alloc(0)
    const wasThere = (entry: Buffer, at: number) =>
      known.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES).equals(leafHash(entry))
    const changed = entries.findIndex((entry, at) => !wasThere(entry, at))
    if (changed < 0) return
    throw new Disagreement(
      'entry_wrong',
      `Entry ${index * TILE_WIDTH + changed} of the log is not the one that it was.`,
    )
  }

  #add(bytes: Buffer): ComputedTile[] {
    const text = bytes.toString()
    const name = `Entry ${this.#tree.size} of the log`
    const entry = orDisagree('entry_wrong', () => parseEntry(text, name))
    this.#watch(entry)
    orDisagree('entry_wrong', () => this.#replay.add(entry))
    this.#watch(entry)
    return this.#tree.add(leafHash(bytes))
  }

  /** Tiles follow from the entries, but others verify proofs by them. */
  async #compareTiles(tiles: readonly ComputedTile[]): Promise<void> {
    const read = ({ level, index, hashes }: ComputedTile) => this.#files.tile(level, index, hashes.length / HASH_BYTES)
    const served = await Promise.all(tiles.map(read))
    const wrong = tiles.find(({ hashes }, at) => !served[at]?.equals(hashes))
    if (!wrong) return
    throw new Disagreement('tile_wrong', `The tile ${wrong.level}/${wrong.index} of the log does not fit its entries.`)
  }

  #watch({ board, listing }: LogEntry): void {
    if (!this.#isWatched || board === undefined || listing === undefined) return
    const key = `${board} ${listing}`
    const now = this.#replay.standing(board, listing)
    const moves = this.#moves.get(key) ?? []
    if (now) moves.push(now)
    this.#moves.set(key, moves)
  }

  /**
   * Returns what a listing had on a board at some time since the first `advance` of this run. Undefined if it did not
   * change there, nor was hidden or restored.
   */
  movesOf(board: string, listing: number): readonly Standing[] | undefined {
    const moves = this.#moves.get(`${board} ${listing}`)
    if (moves) return moves
    const now = this.#moves.has(`all ${listing}`) ? this.#replay.standing(board, listing) : undefined
    return now && [now]
  }

  hasMoves(): boolean {
    return this.#moves.size > 0
  }

  /** A log that broke may say so itself: then the new one says how much was lost. */
  async #rewritten(seen: Seen, checkpoint: Checkpoint): Promise<Disagreement> {
    const lost = `The log was rewritten: its first ${seen.size} entries are no longer those that its checkpoint covered.`
    if (checkpoint.origin === seen.origin) return new Disagreement('log_rewritten', lost)
    const later = new FollowedLog(this.#files, { ...this.#given, keys: this.#trusted })
    await later.advance()
    if (later.replay.lostSize < seen.size) return new Disagreement('log_rewritten', lost)
    this.#tree = later.#tree
    this.#replay = later.#replay
    this.#note = later.#note
    return new Disagreement(
      'log_recovered',
      `The log ${seen.origin} lost entries that it had published, and says so: it goes on as ${checkpoint.origin}. Later runs verify that one.`,
    )
  }

  /** Returns what the next run needs. */
  kept(): KeptLog {
    return {
      origin: this.#replay.origin,
      keys: [...new Set([...this.#given.keys, ...this.#replay.keys])],
      note: this.#note,
      edge: this.#tree.edge().map(hashes => hashes.toString('base64')),
      replay: this.#replay.save(),
    }
  }
}

/** The bundles with the entries from `start` on. One at a time: a forged checkpoint can state any size. */
function* bundlesOf(start: number, size: number): Generator<number> {
  if (start === size) return
  for (let index = Math.floor(start / TILE_WIDTH); index * TILE_WIDTH < size; index++) yield index
}
