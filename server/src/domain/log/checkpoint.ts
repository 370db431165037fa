import { checkpointText, joinNote, openNote, parseEntry } from '@placard/contract/log'
import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../../platform/config/config.ts'
import type { Store } from '../../platform/db/store.ts'
import { COMMAND } from '../../platform/lib/package.ts'
import type { Secret } from '../../platform/lib/secret.ts'
import {
  type Break,
  describeBreak,
  findBreak,
  IN_FILE,
  isSame,
  type KnownCheckpoint,
  type LastCheckpoint,
  readCheckpointFile,
  readLogState,
  type Signed,
  stopSigning,
  writeCheckpointFile,
} from './break.ts'
import { noteEffects } from './outbox.ts'
import { logSigners } from './signing-keys.ts'
import { logTree } from './tree-of-store.ts'
import { addCosignature, Witnesses } from './witnesses.ts'

interface CheckpointDependencies {
  config: Pick<Config, 'dataDir' | 'log'>
  /** Newest first. */
  seeds: readonly Secret[]
  /** Gives all that is pending its entries. */
  append(store: Store, signal: AbortSignal): Promise<unknown>
  clock: () => number
  log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>
}

interface Run {
  store: Store
  signal: AbortSignal
  /** Whether another process may have signed since this one did. */
  isFirst: boolean
}

/**
 * Signs the log. A checkpoint is signed only if the log contains every checkpoint that was signed before, as far as the
 * database, this process, the file in `DATA_DIR` and the witnesses know. So a restored backup or a lagging standby
 * never signs a second version of what others already have.
 */
export class Checkpoints {
  readonly #deps: CheckpointDependencies
  readonly #witnesses: Witnesses
  #signed: Signed | undefined
  #hasLoggedBreak = false
  #hasLoggedFile = false

  constructor(deps: CheckpointDependencies) {
    this.#deps = deps
    this.#witnesses = new Witnesses(deps.config.log.witnesses, deps)
  }

  /**
   * Signs and stores the present log, unless that is done, and asks the witnesses without waiting for them. Only one
   * process at a time may call it.
   *
   * @returns whether there is a new checkpoint, or signing has stopped
   */
  async publish(run: Run): Promise<'new' | 'same' | 'stopped'> {
    const { store } = run
    const { clock } = this.#deps
    let { entries, broken, last } = await readLogState(store.db)
    if (broken && broken.newOrigin === undefined) return this.#stopped(broken)
    if (entries === 0) return 'same'
    const tree = logTree(store)
    // The address of the site and its keys may have changed since the first entry.
    const began = last ? undefined : parseEntry((await tree.entry(0)) ?? '')
    const origin = broken?.newOrigin ?? last?.origin ?? began?.origin ?? ''
    const signers = logSigners(this.#deps.seeds, origin)
    const vkeys = signers.map(({ vkey }) => vkey)
    const announced = last ? announcedKeys(last, origin, broken ? [] : vkeys) : [began?.vkey]
    const unannounced = vkeys.filter(vkey => !announced.includes(vkey))
    const isDue = broken !== undefined || unannounced.length > 0 || last?.size !== entries
    const known = await this.#checkpointsElsewhere(run, last, { origin, vkeys })
    if (!broken && (isDue || known.length > 0)) {
      if (last) known.push({ ...signedPart(last), knownBy: 'the database' })
      const found = await findBreak(known, { origin, entries, rootAt: tree.rootAt })
      if (found) return this.#stop(store, { ...found, entries, at: clock() })
    }
    if (last && !isDue) return this.#askWitnesses(store, last, 'same')
    if (unannounced.length > 0) {
      const effects = unannounced.map(vkey => ({ kind: 'key', at: clock(), extra: { vkey } }))
      await store.transact(trx => noteEffects(trx, effects))
      await this.#deps.append(store, run.signal)
      entries = (await readLogState(store.db)).entries
    }
    const root = await tree.rootAt(entries)
    const text = checkpointText({ origin, size: entries, root })
    const note = joinNote(
      text,
      signers.map(signer => signer.sign(text)),
    )
    const next = { origin, size: entries, root: root.toString('base64'), note }
    // Before anyone can read it, so that a crash never forgets a checkpoint that was read.
    await this.#writeFile(store, note)
    this.#signed = signedPart(next)
    if (!(await storeCheckpoint(store, next, { last, broken, now: clock() }))) return 'same'
    this.#hasLoggedBreak = false
    return this.#askWitnesses(store, next, 'new')
  }

  /** When this resolves, no witness is asked any more. */
  close(): Promise<void> {
    return this.#witnesses.close()
  }

  /** Returns the checkpoints that others than the database know. */
  async #checkpointsElsewhere(
    { isFirst, signal }: Run,
    last: LastCheckpoint | undefined,
    log: { origin: string; vkeys: string[] },
  ): Promise<KnownCheckpoint[]> {
    const elsewhere: KnownCheckpoint[] = this.#witnesses.takeCheckpoints()
    if (this.#signed && !(last && isSame(last, this.#signed)))
      elsewhere.push({ ...this.#signed, knownBy: 'this process' })
    if (!isFirst) return elsewhere
    const filed = await readCheckpointFile(this.#deps.config.dataDir)
    if (filed) elsewhere.push({ ...filed, knownBy: IN_FILE })
    // Another machine signed the last one, or the database is another: then the witnesses may know more.
    if (!(last && filed && isSame(last, filed)))
      elsewhere.push(...(await this.#witnesses.lastCosigned(log.origin, log.vkeys, signal)))
    return elsewhere
  }

  /** On PostgreSQL, an instance may have no folder that it can write. Then the witnesses must know. */
  async #writeFile(store: Store, note: string): Promise<void> {
    const { config, log } = this.#deps
    await writeCheckpointFile(config.dataDir, note).catch(err => {
      if (store.engine === 'sqlite') throw err
      if (!this.#hasLoggedFile) log.info({ err }, 'DATA_DIR cannot store the latest checkpoint of the log')
      this.#hasLoggedFile = true
    })
  }

  #askWitnesses<Result>(store: Store, checkpoint: LastCheckpoint, result: Result): Result {
    this.#witnesses.cosign(checkpoint, {
      vkeys: logSigners(this.#deps.seeds, checkpoint.origin).map(({ vkey }) => vkey),
      readTile: logTree(store).readTile,
      keep: line => storeCosignature(store, checkpoint, line),
    })
    return result
  }

  async #stop(store: Store, broken: Break): Promise<'stopped'> {
    await store.transact(trx => stopSigning(trx, broken))
    return this.#stopped(broken)
  }

  #stopped(broken: Break): 'stopped' {
    if (!this.#hasLoggedBreak) {
      this.#deps.log.error(`${describeBreak(broken)}: no checkpoint is signed until you run ${COMMAND} log recover`)
    }
    this.#hasLoggedBreak = true
    return 'stopped'
  }
}

/**
 * Returns the keys that the log has announced. Its first entry names the newest key; every other one gets an entry
 * before it signs.
 *
 * @param vkeys that sign now
 */
function announcedKeys(last: LastCheckpoint, origin: string, vkeys: readonly string[]): string[] {
  if (last.origin !== origin) return []
  try {
    return openNote(last.note, vkeys).signatures.map(({ vkey }) => vkey)
  } catch {
    return []
  }
}

/** @returns false if another process was faster */
function storeCheckpoint(
  store: Store,
  next: LastCheckpoint,
  { last, broken, now }: { last: LastCheckpoint | undefined; broken: Break | undefined; now: number },
): Promise<boolean> {
  const values = { ...next, at: now }
  return store.transact(async trx => {
    const stored = last
      ? await trx
          .updateTable('log_checkpoint')
          .set(values)
          .where('origin', '=', last.origin)
          .where('size', '=', last.size)
          .where('root', '=', last.root)
          .returning('id')
          .execute()
      : await trx
          .insertInto('log_checkpoint')
          .values({ id: 1, ...values })
          .onConflict(conflict => conflict.doNothing())
          .returning('id')
          .execute()
    if (stored.length > 0 && broken) await trx.updateTable('log_head').set({ broken: null }).execute()
    return stored.length > 0
  })
}

/** Adds a cosignature, unless there is a later checkpoint. */
async function storeCosignature(store: Store, checkpoint: Signed, line: string): Promise<void> {
  await store.transact(async trx => {
    const stored = await trx
      .selectFrom('log_checkpoint')
      .selectAll()
      // Witnesses answer at once: the second one must add to what the first one stored.
      .$if(trx.engine === 'postgres', query => query.forUpdate())
      .executeTakeFirst()
    if (!stored || !isSame(stored, checkpoint)) return
    const note = addCosignature(stored.note, line)
    await trx.updateTable('log_checkpoint').set({ note }).execute()
  })
}

const signedPart = ({ origin, size, root }: Signed): Signed => ({ origin, size, root })
