import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

const MEDIA_TYPES = {
  'style.css': 'text/css; charset=utf-8',
  'manage.js': 'text/javascript; charset=utf-8',
  'board.js': 'text/javascript; charset=utf-8',
  'checkout.js': 'text/javascript; charset=utf-8',
  'favicon.svg': 'image/svg+xml; charset=utf-8',
} as const

export type AssetName = keyof typeof MEDIA_TYPES

export interface Asset {
  body: string
  mediaType: string
  /** Part of the SHA-256 of the body: a changed file gets a new address, so an address can be cached for ever. */
  version: string
}

/** The hand-written files in `server/assets`, read once; the set is fixed, so no path comes from a request. */
const ASSETS = new Map<string, Asset>(
  Object.entries(MEDIA_TYPES).map(([name, mediaType]) => {
    const body = readFileSync(new URL(`../../assets/${name}`, import.meta.url), 'utf8')
    const version = createHash('sha256').update(body).digest('base64url').slice(0, 12)
    return [name, { body, mediaType, version }]
  }),
)

/** The asset of that name, or undefined where there is none. */
export const findAsset = (name: string): Asset | undefined => ASSETS.get(name)

/** Address of an asset, with its version. */
export const assetPath = (name: AssetName): string => `/assets/${name}?v=${ASSETS.get(name)?.version}`
