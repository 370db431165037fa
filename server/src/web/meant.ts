import type { FastifyRequest } from 'fastify'
import { assetPath } from './ui/assets.ts'

/** What people and programs try without having read it anywhere, and the address they mean. */
const MEANT: Partial<Record<string, string>> = {
  '/board': '/board/all',
  '/categories': '/#categories',
  '/feed': '/feed.atom',
  '/favicon.ico': assetPath('favicon.svg'),
}

/** The path that an unknown address means: one that is known, or the same without a slash at its end. */
export function pathMeant({ method, url }: Pick<FastifyRequest, 'method' | 'url'>): string | undefined {
  if (method !== 'GET' && method !== 'HEAD') return undefined
  // Plain parts alone: what is left of `//elsewhere.com/` without its slash would be another host.
  const [, path, slashes, query] = /^((?:\/[\w.~-]+)+)(\/*)(\?.*)?$/.exec(url) ?? []
  if (path === undefined || path.startsWith('/api/')) return undefined
  return MEANT[path] ?? (slashes && path + (query ?? ''))
}
