import { readFileSync } from 'node:fs'
import { asWritten, openNote } from '@placard/contract/log'
import {
  type Break,
  describeBreak,
  findBreak,
  IN_FILE,
  type LastCheckpoint,
  readCheckpointFile,
  readLogState,
  type Signed,
  signedOf,
  startNewLog,
} from '../../domain/log/break.ts'
import { firstOrigin, logCosigners, logSigners, signingSeeds, witnessName } from '../../domain/log/signing-keys.ts'
import { logTree } from '../../domain/log/tree-of-store.ts'
import { verifyLog } from '../../domain/log/verify.ts'
import { requireServiceKeys } from '../../domain/ownership/service-keys/recorded-keys.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Db, Store } from '../../platform/db/store.ts'
import { COMMAND } from '../../platform/lib/package.ts'
import { type Command, type OptionValues, printResult, storeCommand, UsageError } from './command.ts'
import { linksOf, withStore } from './with-store.ts'

export const audit = storeCommand({
  name: 'audit',
  usage: 'verify [--checkpoint FILE]',
  does: 'check the log, and that boards, draws and decisions agree with it; --checkpoint: an earlier /log/checkpoint that it must contain',
  argumentsMax: 1,
  options: ['checkpoint'],
  read({ checkpoint }, word) {
    if (word !== 'verify') throw new UsageError('audit needs the word "verify"')
    return checkpoint === undefined ? undefined : readNote(checkpoint)
  },
  async act(store, note) {
    const { entries, root, fault } = await verifyLog(store, Date.now(), note)
    const count = `${entries} ${entries === 1 ? 'entry' : 'entries'}`
    const hash = root.toString('base64')
    if (fault === undefined) return [{ ok: true, entries, root: hash }, `${count}, log whole, root ${hash}`]
    process.exitCode = 1
    return [{ ok: false, entries, fault }, `${count} proved, then: ${fault}`]
  },
})

function readNote(file: string): string {
  try {
    return asWritten(readFileSync(file, 'utf8'))
  } catch (cause) {
    throw new Error(`the checkpoint ${file} cannot be read: ${(cause as Error).message}`, { cause })
  }
}

export const log: Command = {
  name: 'log',
  usage: 'show | recover [--new-log]',
  does: 'print the size and keys of the public log; recover: explain what to do if signing stopped',
  argumentsMax: 1,
  options: ['new-log'],
  async run(values, word) {
    const { 'new-log': isNew = false } = values
    if (word === 'show' && !isNew) return withStore((store, config) => showLog(store, config, values))
    if (word === 'recover') {
      return withStore(async (store, { dataDir }) => {
        // Before the log, so that the file of a running service is never ahead of it.
        const filed = await readCheckpointFile(dataDir)
        await (isNew ? renameLog(store, values, filed) : explain(store, values, filed))
      })
    }
    throw new UsageError('log needs the word "show" or "recover"')
  },
}

async function showLog(store: Store, config: Config, values: OptionValues): Promise<void> {
  const { base } = linksOf(config)
  const { entries, broken, last } = await readLogState(store.db)
  const seeds = signingSeeds(config.log, await requireServiceKeys(store.db, config))
  const origin = broken?.newOrigin ?? last?.origin ?? firstOrigin(base)
  const isWitness = config.log.witnessFor.length > 0
  const result = {
    origin,
    size: entries,
    signed: last?.size ?? null,
    keys: logSigners(seeds, origin).map(({ vkey }) => vkey),
    witnesses: config.log.witnesses.map(({ vkey }) => `${vkey.split('+')[0]}: ${cosigned(last, vkey)}`),
    cosignsBy: isWitness ? logCosigners(seeds, witnessName(base)).map(({ vkey }) => vkey) : [],
    cosigned: isWitness ? await store.db.selectFrom('witnessed_log').select(['origin', 'size']).execute() : [],
    stopped: broken ? describeBreak(broken) : null,
  }
  const rows = [
    ['log', origin],
    ['size', String(entries)],
    ['signed', last ? String(last.size) : 'none yet'],
    ...result.keys.map(key => ['key', key]),
    ...result.witnesses.map(witness => ['witness', witness]),
    ...result.cosignsBy.map(key => ['cosigns by', key]),
    ...result.cosigned.map(seen => ['cosigned', `${seen.origin} at size ${seen.size}`]),
    ...(result.stopped === null ? [] : [['stopped', result.stopped]]),
  ]
  printResult(values, result, rows.map(([name = '', value]) => `${name.padEnd(11)} ${value}`).join('\n'))
}

function cosigned(last: LastCheckpoint | undefined, vkey: string): string {
  const [signature] = last ? openNote(last.note, [vkey]).signatures : []
  if (!signature) return 'has not cosigned this checkpoint'
  return `cosigned it at ${new Date((signature.time ?? 0) * 1000).toISOString()}`
}

/** Reads the state of the log. After a restore, it is compared with the file here: the service may not have run yet. */
async function readCompared(
  store: Store,
  filed: Signed | undefined,
  db: Db = store.db,
): ReturnType<typeof readLogState> {
  const state = await readLogState(db)
  const { entries, broken, last } = state
  if (broken || !filed) return state
  const log = { origin: last?.origin ?? filed.origin, entries, rootAt: logTree(store).rootAt }
  const found = await findBreak([{ ...filed, knownBy: IN_FILE }], log)
  return found ? { ...state, broken: { ...found, entries, at: Date.now() } } : state
}

async function explain(store: Store, values: OptionValues, filed: Signed | undefined): Promise<void> {
  const { broken, last } = await readCompared(store, filed)
  const result = { broken: broken ?? null, last: last ?? null }
  if (!broken) {
    const text = `The log contains every checkpoint that it is known to have signed${last ? `: the last has size ${last.size}` : ''}.
If you restored a backup, and the site had published more since, run "${RENAME}" once.`
    return printResult(values, result, text)
  }
  printResult(values, result, whatToDo(broken))
  process.exitCode = broken.newOrigin === undefined ? 1 : 0
}

const RENAME = `${COMMAND} log recover --new-log`

const whatToDo = (broken: Break) =>
  broken.newOrigin === undefined
    ? `Signing has stopped: ${describeBreak(broken)}.
Entries are still written, and visitors still get the last checkpoint that was stored.

Others may have entries that this database lost, so it must not sign a second version of them. Choose:

1. If a newer backup exists, or the server from before the failover: stop Placard, and restore that database.
2. Otherwise, run "${RENAME}". The log continues under a new name, and an entry says which entries were lost.
   Everyone who verifies the log sees the break. It cannot be undone.`
    : `The log continues as ${broken.newOrigin} once the service runs.`

async function renameLog(store: Store, values: OptionValues, filed: Signed | undefined): Promise<void> {
  const newOrigin = await store.transact(async trx => {
    const { entries, broken, last } = await readCompared(store, filed, trx)
    if (broken?.newOrigin !== undefined) return broken.newOrigin
    const lost = broken ?? (last && { ...signedOf(last.note), knownBy: 'the operator', entries, at: Date.now() })
    if (!lost) throw new Error('this log has not been signed yet, so there is nothing to recover')
    return startNewLog(trx, lost, Date.now())
  })
  const text = `The log continues as ${newOrigin} once the service runs. "${COMMAND} log show" prints its keys.`
  printResult(values, { newOrigin }, text)
}
