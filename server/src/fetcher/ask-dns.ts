import { Resolver } from 'node:dns/promises'

export interface DnsOptions {
  /** `host:port` of the resolvers to ask; empty means the system's. */
  dnsServers: readonly string[]
  /** For all questions together. */
  timeoutMs: number
  signal?: AbortSignal
}

export interface Answers<Answer> {
  answers: Answer[]
  /** Why the question got no answer for now; undefined when it was answered, be it with nothing. */
  failure?: string
}

/** Answers that say for good that there is nothing under the name; all others may be different in a minute. */
const NOTHING_THERE = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME'])

/**
 * Puts questions to the DNS itself: never to the hosts file, never with a search domain, and a literal gets no special
 * treatment. The resolver is used for these questions only and remembers nothing.
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

/** What came of one question. */
export async function answersTo<Answer>(question: Promise<Answer[]>): Promise<Answers<Answer>> {
  try {
    return { answers: await question }
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    return NOTHING_THERE.has(code) ? { answers: [] } : { answers: [], failure: code }
  }
}
