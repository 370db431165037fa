import type { FastifyBaseLogger } from 'fastify'
import type { PurgeApi, PurgeConfig } from '../config/outside-services.ts'
import { MINUTE_MS } from '../lib/time.ts'
import { TAGS } from './tags.ts'

/** Every API accepts this many in one request. */
const TAGS_MAX = 30

/** From this number on, one tag that purges everything costs the cache less than the many. */
const WAITING_MAX = 10 * TAGS_MAX
const EVERY_MS = 1000
const ANSWER_WITHIN_MS = 5000
const RETRY_MAX_MS = MINUTE_MS

/**
 * Purges changes from a shared cache: at once if the last request was a second ago, otherwise together with later
 * changes after that second. A failed request is repeated at growing intervals. Pending purges are only in memory: the
 * next process that purges begins with everything.
 */
export class Purger {
  readonly #config: PurgeConfig
  readonly #log: Pick<FastifyBaseLogger, 'warn' | 'info'>
  readonly #waiting = new Set<string>()
  #failures = 0
  #notBefore = 0
  #timer: NodeJS.Timeout | undefined
  #underWay: Promise<void> | undefined
  #isClosed = false

  constructor(config: PurgeConfig, log: Pick<FastifyBaseLogger, 'warn' | 'info'>) {
    this.#config = config
    this.#log = log
  }

  /** Never throws, and returns at once: a change must not wait for a cache. */
  add(tags: Iterable<string>): void {
    for (const tag of tags) this.#waiting.add(tag)
    if (this.#waiting.has(TAGS.site) || this.#waiting.size > WAITING_MAX) {
      this.#waiting.clear()
      this.#waiting.add(TAGS.site)
    }
    this.#schedule()
  }

  /** When this resolves, nothing is sent any more. Pending purges are tried once. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#underWay
    if (this.#waiting.size > 0) await this.#send()
  }

  #schedule(): void {
    if (this.#isClosed || this.#timer || this.#underWay || this.#waiting.size === 0) return
    const waitMs = Math.max(0, this.#notBefore - performance.now())
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#underWay = this.#send().finally(() => {
        this.#underWay = undefined
        this.#schedule()
      })
    }, waitMs).unref()
  }

  async #send(): Promise<void> {
    const tags = [...this.#waiting].slice(0, TAGS_MAX)
    // Before the request: a tag that is added during the request must be purged again.
    for (const tag of tags) this.#waiting.delete(tag)
    this.#notBefore = performance.now() + EVERY_MS
    try {
      await this.#request(tags)
      if (this.#failures > 0) this.#log.info({ tags }, 'the cache can be purged again')
      this.#failures = 0
    } catch (err) {
      this.#failures++
      this.#notBefore = performance.now() + Math.min(EVERY_MS * 2 ** this.#failures, RETRY_MAX_MS)
      this.#log.warn({ err, tags, failures: this.#failures }, 'could not purge the cache; will retry')
      this.add(tags)
    }
  }

  async #request(tags: readonly string[]): Promise<void> {
    const { api, url, token } = this.#config
    const response = await fetch(url, {
      ...PURGE_APIS[api](tags, token?.reveal().toString()),
      redirect: 'error',
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    })
    await response.body?.cancel()
    if (!response.ok) throw new Error(`PURGE_URL answered ${response.status}`)
  }
}

/** Builds the request of one kind of shared cache that purges everything with some tags. */
type PurgeRequest = (tags: readonly string[], token: string | undefined) => RequestInit

const json = { 'content-type': 'application/json' }

/** By the value of the setting. Each accepts dozens of tags in one request, and repeats without harm. */
export const PURGE_APIS: Record<PurgeApi, PurgeRequest> = {
  /** Also for a receiver of your own. */
  cloudflare: (tags, token) => ({
    method: 'POST',
    headers: { ...json, ...bearer(token) },
    body: JSON.stringify({ tags }),
  }),
  fastly: (tags, token) => ({
    method: 'POST',
    headers: { ...json, ...(token !== undefined && { 'fastly-key': token }) },
    body: JSON.stringify({ surrogate_keys: tags }),
  }),
  /** Varnish, as `docs/scaling.md` sets it up. */
  varnish: (tags, token) => ({
    method: 'PURGE',
    headers: { 'surrogate-key': tags.join(' '), ...bearer(token) },
  }),
  /** It separates tags by commas. */
  souin: (tags, token) => ({
    method: 'PURGE',
    headers: { 'surrogate-key': tags.join(', '), ...bearer(token) },
  }),
}

const bearer = (token: string | undefined) => (token === undefined ? {} : { authorization: `Bearer ${token}` })
