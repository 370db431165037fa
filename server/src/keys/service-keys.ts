import type { Secret } from '../secret.ts'

export interface ServiceKey {
  secret: Secret
  /** By which the database knows the key. */
  checkValue: string
  /** From when on it signs nothing any more, in Unix milliseconds; undefined where that is not known to have come. */
  replacedAt: number | undefined
}

/** What the database keeps of a key to know it again by. It says nothing about the key. */
export const checkValueOf = (key: Secret): string =>
  key.derive('placard service key check').reveal().toString('hex')

/**
 * The keys of the service, newest first. The first signs, and derives what is new. The others are kept for what was made
 * with them: they give the private links of their time again, and what they had signed counts to its end.
 */
export class ServiceKeys {
  readonly all: readonly ServiceKey[]
  readonly newest: ServiceKey

  /** @throws Error where there is none */
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
   * The keys that may have signed something at a time: the one in use then first, and never one that had been replaced by
   * then, so that a key that has leaked is worth nothing once it is changed. Another instance may sign with a newer one.
   */
  inUseAt(time: number): Secret[] {
    const replacedAt = (key: ServiceKey) => key.replacedAt ?? Number.MAX_SAFE_INTEGER
    return this.all
      .filter(key => replacedAt(key) > time)
      .sort((one, other) => replacedAt(one) - replacedAt(other))
      .map(key => key.secret)
  }
}
