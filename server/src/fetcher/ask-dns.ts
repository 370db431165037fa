import { Resolver } from 'node:dns/promises'

export interface DnsOptions {
  /** `host:port` of the resolvers to ask; empty means the system's. */
  dnsServers: readonly string[]
  /** For all queries together. */
  timeoutMs: number
  signal?: AbortSignal
}

export interface Answers<Answer> {
  answers: Answer[]
  /** Why there is no answer for now; undefined if there was one, even an empty one. */
  failure?: string
}

/** Errors that mean there is nothing under this name. All others may be temporary. */
const NOTHING_THERE = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME'])

/**
 * Queries the DNS itself: never the hosts file, never a search domain, and without special treatment of literals. The
 * resolver serves only these queries and caches nothing.
 */
export async function askDns<Result>(
  { dnsServers, timeoutMs, signal }: DnsOptions,
  ask: (resolver: Resolver) => Promise<Result>,
): Promise<Result> {
  const resolver = new Resolver({ timeout: Math.ceil(timeoutMs / 3), tries: 2 })
  if (dnsServers.length > 0) resolver.setServers(dnsServers)
  const cancel = () => resolver.cancel()
  const timer = setTimeout(cancel, timeoutMs)
  signal?.addEventListener('abort', cancel, { once: true })
  try {
    return await ask(resolver)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', cancel)
  }
}

/** The result of one query. */
export async function answersTo<Answer>(question: Promise<Answer[]>): Promise<Answers<Answer>> {
  try {
    return { answers: await question }
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    return NOTHING_THERE.has(code) ? { answers: [] } : { answers: [], failure: code }
  }
}
