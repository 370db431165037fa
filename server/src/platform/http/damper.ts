import type { LoggerOptions } from 'pino'
import { isDamage, isStoreBusy, isStoreFailure } from '../db/failures.ts'
import { MINUTE_MS } from '../lib/time.ts'
import { Problem } from './problem.ts'

type LogMethod = NonNullable<NonNullable<LoggerOptions['hooks']>['logMethod']>

/** The maximum number of different errors that are counted. Further ones are logged each time. */
const KINDS_MAX = 100
/** The maximum number of causes that one outage logs. */
const CAUSES_MAX = 10
/** pino's number for `error`. */
const ERROR = 50

/**
 * Prevents a lasting fault from filling the log. While the database is unreachable, there is one warning for each cause
 * and one at the end: a cut connection hides why the database accepts no writes. Any other error or refusal that repeats
 * is logged once a minute, with a count.
 */
export class Damper {
  readonly #repeats = new Map<string, number>()
  #outage: { startedAt: number; failures: number; causes: Set<string> } | undefined
  #endedAt = Number.NEGATIVE_INFINITY
  #isDamaged = false
  #isLogging = false

  readonly #onDamage: () => void

  /** @param onDamage called at the first error that shows that the database is damaged */
  constructor(onDamage: () => void = () => {}) {
    this.#onDamage = onDamage
  }

  /** Whether the database is unreachable, or accepts no writes. */
  get isOutage(): boolean {
    return this.#outage !== undefined
  }

  /** Whether the database was found to be damaged. Only a restore repairs it. */
  get isDamaged(): boolean {
    return this.#isDamaged
  }

  /** Call it when the database can be used again. */
  end(log: { warn(about: object, message: string): void }): void {
    if (!this.#outage) return
    const { startedAt, failures } = this.#outage
    const seconds = Math.round((performance.now() - startedAt) / 1000)
    this.#outage = undefined
    this.#endedAt = performance.now()
    log.warn({ seconds, failures }, 'the database can be used again')
  }

  /** pino calls it for every line. */
  readonly logMethod: LogMethod = (() => {
    const damper = this
    return function logMethod(args, method, level) {
      const [about, message] = args as unknown as [{ err?: unknown } | undefined, string | undefined]
      const err = typeof about === 'object' ? about?.err : undefined
      if (!(err instanceof Error) || damper.#isLogging) return method.apply(this, args)
      damper.#noteDamage(err)
      if (isOutage(err) && damper.#joins()) {
        const cause = codeOf(err)
        if (damper.#isNewCause(cause ?? err.message)) {
          damper.#log(() => this.warn({ cause, ...about, why: message }, 'the database cannot be used; will retry'))
        }
        return
      }
      // Clients can repeat a refusal as often as they like.
      if (level < ERROR && !isStoreFailure(err) && !(err instanceof Problem)) return method.apply(this, args)
      const key = `${message} ${err.name} ${err.message}`
      const count = damper.#repeats.get(key)
      if (count !== undefined) return void damper.#repeats.set(key, count + 1)
      method.apply(this, args)
      if (damper.#repeats.size >= KINDS_MAX) return
      damper.#repeats.set(key, 0)
      setTimeout(() => {
        const repeated = damper.#repeats.get(key) ?? 0
        damper.#repeats.delete(key)
        const words = `${message ?? 'an error'} (${repeated} more in a minute)`
        if (repeated > 0) method.apply(this, [{ error: err.message, repeated }, words] as never)
      }, MINUTE_MS).unref()
    }
  })()

  /** @returns false shortly after an outage: a repeated outage is counted like other errors */
  #joins(): boolean {
    if (performance.now() - this.#endedAt < MINUTE_MS) return false
    this.#outage ??= { startedAt: performance.now(), failures: 0, causes: new Set() }
    this.#outage.failures++
    return true
  }

  #isNewCause(cause: string): boolean {
    const { causes } = this.#outage ?? {}
    if (!causes || causes.has(cause) || causes.size >= CAUSES_MAX) return false
    causes.add(cause)
    return true
  }

  #noteDamage(err: Error): void {
    if (this.#isDamaged || !isDamage(err)) return
    this.#isDamaged = true
    this.#onDamage()
  }

  #log(work: () => void): void {
    this.#isLogging = true
    try {
      work()
    } finally {
      this.#isLogging = false
    }
  }
}

/** A lock that is held too long, and damage, concern single requests. Stripe's errors have a type. */
const isOutage = (err: Error): boolean =>
  isStoreFailure(err) &&
  !isStoreBusy(err) &&
  !isDamage(err) &&
  err.name !== 'ReaderFailed' &&
  !('type' in err) &&
  !/^40/.test(codeOf(err) ?? '')

const codeOf = (err: Error): string | undefined => (err as NodeJS.ErrnoException).code
