import { readFileSync } from 'node:fs'
import { type Tagged, tagged } from '../../http/send.ts'

const MEDIA_TYPES = {
  'style.css': 'text/css; charset=utf-8',
  'private-page.js': 'text/javascript; charset=utf-8',
  'board.js': 'text/javascript; charset=utf-8',
  'checkout.js': 'text/javascript; charset=utf-8',
  'favicon.svg': 'image/svg+xml; charset=utf-8',
} as const

/** The parts of `style.css`, in order: small files, joined into one request. */
const STYLES = [
  'frame',
  'wall',
  'board',
  'chart',
  'sheet',
  'controls',
  'play-money',
  'promote',
  'words',
  'private-page',
  'product',
  'discovery',
] as const

export type AssetName = keyof typeof MEDIA_TYPES

export interface Asset extends Tagged {
  mediaType: string
  /** Part of the body's hash: a changed file gets a new address, so each address can be cached forever. */
  version: string
}

/** The files in `server/assets`, read once. The set is fixed, so no path comes from a request. */
const ASSETS = new Map<string, Asset>(
  Object.entries(MEDIA_TYPES).map(([name, mediaType]) => {
    const body = name === 'style.css' ? STYLES.map(part => read(`styles/${part}.css`)).join('\n') : read(name)
    const { etag } = tagged(body)
    return [name, { body, etag, mediaType, version: etag.slice(1, 13) }]
  }),
)

function read(path: string): string {
  return readFileSync(new URL(`../../../assets/${path}`, import.meta.url), 'utf8')
}

/** The asset with this name, or undefined. */
export const findAsset = (name: string): Asset | undefined => ASSETS.get(name)

/** Path of an asset, with its version. */
export const assetPath = (name: AssetName): string => `/assets/${name}?v=${ASSETS.get(name)?.version}`
