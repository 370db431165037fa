import type { Secret } from '../secret.ts'

/** How one kind of shared cache is told to drop what carries any of some tags. */
type PurgeRequest = (tags: readonly string[], token: string | undefined) => RequestInit

const json = { 'content-type': 'application/json' }

/** Where and how to purge. */
export interface PurgeConfig {
  api: PurgeApi
  url: string
  token: Secret | undefined
}

/** By the name of the setting's value. Each takes tens of tags in one request, and the same ones again without harm. */
export const PURGE_APIS = {
  /** And any receiver of one's own. */
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
  /** Varnish, as `docs/caching.md` sets it up. */
  varnish: (tags, token) => ({
    method: 'PURGE',
    headers: { 'surrogate-key': tags.join(' '), ...bearer(token) },
  }),
  /** It separates by commas in what it is asked. */
  souin: (tags, token) => ({
    method: 'PURGE',
    headers: { 'surrogate-key': tags.join(', '), ...bearer(token) },
  }),
} as const satisfies Record<string, PurgeRequest>

export type PurgeApi = keyof typeof PURGE_APIS

const bearer = (token: string | undefined) =>
  token === undefined ? {} : { authorization: `Bearer ${token}` }
