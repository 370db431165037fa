import { readFileSync } from 'node:fs'
import { type Tagged, tagged } from '../../platform/http/send.ts'
import { packageFile } from '../../platform/lib/package.ts'

const MEDIA_TYPES = {
  'archivo-latin.woff2': 'font/woff2',
  'archivo-latin-ext.woff2': 'font/woff2',
  'archivo-latin-rest.woff2': 'font/woff2',
  'archivo-vietnamese.woff2': 'font/woff2',
  'noto-sans-cyrillic.woff2': 'font/woff2',
  'noto-sans-greek.woff2': 'font/woff2',
  'style.css': 'text/css; charset=utf-8',
  'console.css': 'text/css; charset=utf-8',
  'console.js': 'text/javascript; charset=utf-8',
  'passkey.js': 'text/javascript; charset=utf-8',
  'private-page.js': 'text/javascript; charset=utf-8',
  'send-once.js': 'text/javascript; charset=utf-8',
  'board.js': 'text/javascript; charset=utf-8',
  'copy.js': 'text/javascript; charset=utf-8',
  'keep.js': 'text/javascript; charset=utf-8',
  'kept.js': 'text/javascript; charset=utf-8',
  'checkout.js': 'text/javascript; charset=utf-8',
  'search.js': 'text/javascript; charset=utf-8',
  'own.js': 'text/javascript; charset=utf-8',
  'proof.js': 'text/javascript; charset=utf-8',
  'favicon.svg': 'image/svg+xml; charset=utf-8',
} as const

/** The parts of `style.css`, in order: small files, joined into one request. */
const STYLES = [
  'fonts',
  'tokens',
  'base',
  'controls',
  'frame',
  'bill',
  'wall',
  'kept',
  'home',
  'featured',
  'board',
  'category',
  'days',
  'search',
  'error',
  'sheet',
  'columns',
  'prompt',
  'promote',
  'order',
  'own',
  'approve',
  'proof',
  'words',
  'private-page',
  'product',
  'media',
] as const

export type AssetName = keyof typeof MEDIA_TYPES

export interface Asset extends Tagged {
  mediaType: string
  /** Part of the body's hash: a changed file gets a new address, so each address can be cached forever. */
  version: string
}

/** Returns a style sheet without its comments. None of its strings contains the sign of one. */
const withoutComments = (css: string): string =>
  css
    .split('/*')
    .map((part, place) => (place === 0 ? part : part.slice(part.indexOf('*/') + 2).trimStart()))
    .join('')

/**
 * The hand-written files in `server/assets` and the fonts, read once; the set is fixed, so no path comes from a request.
 * Fonts come first: the style sheet names their versioned addresses. Nothing builds them: the scripts are few and short, so
 * what we read is what runs. The style sheet only loses its comments, an eighth of what is sent.
 */
const ASSETS = new Map<string, Asset>()
for (const name of Object.keys(MEDIA_TYPES) as AssetName[]) {
  const body = bodyOf(name)
  const { etag } = tagged(body)
  ASSETS.set(name, { body, etag, mediaType: MEDIA_TYPES[name], version: etag.slice(1, 13) })
}

function bodyOf(name: AssetName): string | Buffer {
  if (name.endsWith('.woff2')) return readFileSync(packageFile(`fonts/built/web/${name}`))
  if (name === 'console.css') return readText('styles/console.css')
  if (name !== 'style.css') return versioned(readText(name))
  const styles = STYLES.map(part => readText(`styles/${part}.css`)).join('\n')
  return versioned(withoutComments(styles))
}

/** Adds their versions to the addresses of fonts and scripts, which come before the file that names them. */
function versioned(text: string): string {
  return text.replace(/(?:\/assets|\.)\/([\w-]+\.(?:woff2|js))/g, (_, name) => assetPath(name))
}

function readText(path: string): string {
  return readFileSync(packageFile(`assets/${path}`), 'utf8')
}

export const findAsset = (name: string): Asset | undefined => ASSETS.get(name)

/** Address of an asset, with its version. */
export function assetPath(name: AssetName): string {
  return `/assets/${name}?v=${ASSETS.get(name)?.version}`
}
