import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Site } from '../platform/config/site.ts'
import { CACHE } from '../platform/http/headers.ts'
import { Problem } from '../platform/http/problem.ts'
import { sendPublic } from '../platform/http/send.ts'
import { findAsset } from './ui/assets.ts'
import type { Needs } from './ui/page-parts.ts'
import { OUR_WORDS_CACHE, sendDrawn } from './ui/send-picture.ts'
import { siteDrawing } from './ui/share-picture.tsx'
import { ICONS, iconDrawing, iconPath, type SiteFiles, siteFiles } from './ui/site-files.ts'

type AssetRequest = FastifyRequest<{ Params: { name: string }; Querystring: { v?: string } }>
type VersionedRequest = FastifyRequest<{ Querystring: { v?: unknown } }>

/** Nothing in the logo runs or loads, even if it is opened on its own. */
const LOGO_HEADERS = { 'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox" }
const MANIFEST = 'application/manifest+json; charset=utf-8'

/** Files of the whole site: scripts, styles and fonts, icons and manifest, logo, accent colour, and the site's share picture. */
export function siteRoutes(app: FastifyInstance, { links, drawn }: Needs<'links' | 'drawn'>): void {
  const { site } = links
  const manifest = JSON.stringify(manifestOf(site))

  app.get('/assets/:name', async (request: AssetRequest, reply) => {
    const asset = findAsset(request.params.name)
    if (!asset) throw new Problem('not_found')
    const { mediaType, version } = asset
    // During a rolling start, a page of another version may ask for its asset: do not let that reply be cached.
    const cache = request.query.v === version ? CACHE.versioned : 'no-cache'
    return sendPublic(request, reply, asset, { cache, mediaType })
  })

  app.get('/manifest.webmanifest', async (request, reply) =>
    sendPublic(request, reply, manifest, { cache: CACHE.site, tags: [], mediaType: MANIFEST }),
  )

  for (const icon of Object.keys(ICONS) as (keyof typeof ICONS)[]) {
    const drawing = iconDrawing(icon, site)
    app.get(ICONS[icon].path, async (request, reply) =>
      sendDrawn(request, reply, drawn, { drawing, cache: OUR_WORDS_CACHE }),
    )
  }

  app.get('/share/site.png', async (request, reply) =>
    sendDrawn(request, reply, drawn, { drawing: siteDrawing(site), cache: OUR_WORDS_CACHE }),
  )

  file('/logo.svg', 'logo', 'image/svg+xml; charset=utf-8', LOGO_HEADERS)
  file('/accent.css', 'accent', 'text/css; charset=utf-8')

  function file(path: string, name: keyof SiteFiles, mediaType: string, headers = {}): void {
    const sent = siteFiles(site)[name]
    app.get(path, async (request: VersionedRequest, reply) => {
      if (!sent) throw new Problem('not_found')
      const cache = request.query.v === sent.version ? CACHE.versioned : 'no-cache'
      return sendPublic(request, reply.headers(headers), sent, { cache, mediaType })
    })
  }
}

/** What a system needs to install the site as an app (W3C Web Application Manifest). */
const manifestOf = (site: Site) => ({
  id: '/',
  name: site.name,
  short_name: site.name,
  description: site.tagline,
  lang: 'en',
  start_url: '/',
  scope: '/',
  display: 'minimal-ui',
  background_color: '#faf8f2',
  theme_color: site.accent.light.board,
  icons: (['small', 'large', 'maskable'] as const).map(icon => {
    const { size, isMaskable } = ICONS[icon]
    return {
      src: iconPath(icon, site),
      sizes: `${size}x${size}`,
      type: 'image/png',
      purpose: isMaskable ? 'maskable' : 'any',
    }
  }),
})
