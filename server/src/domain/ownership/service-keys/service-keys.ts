import type { Store } from '../../../platform/db/store.ts'
import type { Secret } from '../../../platform/lib/secret.ts'
import { TEN_MINUTES_MS } from '../../../platform/lib/time.ts'

/** After a change, instances that were not restarted yet sign with the older key for this long. */
const HANDOVER_MS = TEN_MINUTES_MS

export interface ServiceKey {
  secret: Secret
  /** The database recognises the key by this value. */
  checkValue: string
  /** When it stopped signing; undefined if it still signs or never did. */
  replacedAt: number | undefined
}

/** Returns a value by which the database recognises the key. It reveals nothing about the key. */
export const checkValueOf = (key: Secret): string => key.derive('placard service key check').reveal().toString('hex')

/**
 * The service's keys, newest first. The first signs and derives everything new. The others recover the private links
 * made with them, and what they signed stays valid until it expires.
 */
export class ServiceKeys {
  readonly all: readonly ServiceKey[]
  readonly newest: ServiceKey

  /** @throws Error if there is none */
  constructor(all: readonly ServiceKey[]) {
    const [newest] = all
    if (!newest) throw new Error('there is no service key')
    this.all = all
    this.newest = newest
  }

  withCheckValue(checkValue: string): Secret | undefined {
    return this.all.find(key => key.checkValue === checkValue)?.secret
  }

  /** Keys for one purpose, see `Secret.derive`. */
  derive(purpose: string): ServiceKeys {
    return new ServiceKeys(this.all.map(key => ({ ...key, secret: key.secret.derive(purpose) })))
  }

  /**
   * Returns the keys that may have signed something at a given time, starting with the one in use then. Never returns
   * one that had been replaced for ten minutes, so that a leaked key is worthless after a change. Newer ones count,
   * because another instance may already sign with them.
   */
  inUseAt(time: number): Secret[] {
    const replacedAt = (key: ServiceKey) => key.replacedAt ?? Number.MAX_SAFE_INTEGER
    return this.all
      .filter(key => replacedAt(key) + HANDOVER_MS > time)
      .sort((one, other) => replacedAt(one) - replacedAt(other))
      .map(key => key.secret)
  }
}

/** The database, and the keys from which the secrets in it are derived. */
export interface KeptKeys {
  store: Store
  serviceKeys: ServiceKeys
}
