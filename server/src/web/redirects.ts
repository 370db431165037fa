import type { FastifyRequest } from 'fastify'

/** Addresses that people and programs guess, and where each leads. */
const REDIRECTS: Partial<Record<string, string>> = {
  '/board': '/board/all',
  '/categories': '/#categories',
  '/feed': '/feed.atom',
  '/favicon.ico': '/icon-192.png',
}

/** The redirect of an unknown address: to a known path, or to the same without its trailing slash. */
export function redirectOf({ method, url }: Pick<FastifyRequest, 'method' | 'url'>): string | undefined {
  if (method !== 'GET' && method !== 'HEAD') return undefined
  // Plain parts only: without its slash, `//elsewhere.com/` would be another host.
  const [, path, slashes, query] = /^((?:\/[\w.~-]+)+)(\/*)(\?.*)?$/.exec(url) ?? []
  if (path === undefined || path.startsWith('/api/')) return undefined
  return REDIRECTS[path] ?? (slashes && path + (query ?? ''))
}
