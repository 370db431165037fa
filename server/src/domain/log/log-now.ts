import { openNote } from '@placard/contract/log'
import type { Config } from '../../platform/config/config.ts'
import { statement } from '../../platform/db/statement.ts'
import type { Store } from '../../platform/db/store.ts'
import type { Secret } from '../../platform/lib/secret.ts'
import { logSigners, signingSeeds } from './signing-keys.ts'

/** The latest checkpoint of the log, and who signed it. */
export interface LogNow {
  origin: string
  /** How many rows it covers. */
  size: number
  note: string
  /** Unix milliseconds. */
  at: number
  /** The verifier keys of this site, newest first. */
  keys: readonly string[]
  witnesses: readonly Witness[]
}

interface Witness {
  name: string
  verifierKey: string
  /** In Unix milliseconds; undefined if it has not signed this checkpoint. */
  signedAt: number | undefined
}

interface LogDependencies {
  store: Store
  config: Pick<Config, 'log'>
  serviceKeys: readonly Secret[]
}

/** Returns the latest checkpoint, or undefined before the first. Only valid cosignatures of our witnesses count. */
export async function readLogNow({ store, config, serviceKeys }: LogDependencies): Promise<LogNow | undefined> {
  const [checkpoint] = await latest(store, {})
  if (!checkpoint) return undefined
  const { origin, note, size, at } = checkpoint
  const witnesses = config.log.witnesses.map(({ vkey }) => vkey)
  const { signatures } = openNote(note, witnesses)
  return {
    origin,
    note,
    size,
    at,
    keys: logSigners(signingSeeds(config.log, serviceKeys), origin).map(({ vkey }) => vkey),
    witnesses: witnesses.map(verifierKey => {
      const { time } = signatures.find(({ vkey }) => vkey === verifierKey) ?? {}
      return {
        verifierKey,
        name: verifierKey.split('+')[0] ?? '',
        signedAt: time === undefined ? undefined : time * 1000,
      }
    }),
  }
}

const latest = statement({}, (_, db) => db.selectFrom('log_checkpoint').select(['origin', 'size', 'note', 'at']))
