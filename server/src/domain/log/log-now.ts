import { openNote } from '@placard/contract/log'
import type { Config } from '../../platform/config/config.ts'
import type { Store } from '../../platform/db/store.ts'
import type { ServiceKeys } from '../ownership/service-keys/service-keys.ts'

/** The latest checkpoint of the log, and who signed it. */
export interface LogNow {
  origin: string
  /** How many rows it covers. */
  size: number
  /** The signed note. */
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
