import type { FastifyRequest } from 'fastify'
import { assetPath } from './ui/assets.ts'

/** Addresses that people and programs guess, and where each is redirected. */
const REDIRECTS: Partial<Record<string, string>> = {
  '/board': '/board/all',
  '/categories': '/#categories',
  '/feed': '/feed.atom',
  '/favicon.ico': assetPath('favicon.svg'),
}

/** Where an unknown address is redirected: to a known path, or to the same without a slash at its end. */
export function redirectOf({ method, url }: Pick<FastifyRequest, 'method' | 'url'>): string | undefined {
  if (method !== 'GET' && method !== 'HEAD') return undefined
  // Plain parts alone: what is left of `//elsewhere.com/` without its slash would be another host.
  const [, path, slashes, query] = /^((?:\/[\w.~-]+)+)(\/*)(\?.*)?$/.exec(url) ?? []
  if (path === undefined || path.startsWith('/api/')) return undefined
  return REDIRECTS[path] ?? (slashes && path + (query ?? ''))
}
