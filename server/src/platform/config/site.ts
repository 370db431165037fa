import { readFileSync } from 'node:fs'
import { type Accent, GREEN } from './accent.ts'
import { BadSetting } from './row.ts'

/** The site's name and look on pages, in feeds and in pictures. */
export interface Site {
  name: string
  /** A few words about the site, without a full stop. */
  tagline: string
  /** Undefined means its name, in type. */
  logo: Logo | undefined
  accent: Accent
  /** Whether places are for sale. Otherwise, no page offers one or shows a price. */
  sellsPlaces: boolean
  /** Whether the boards count play money. If so, everything about a paid place says so. */
  isMoneyPlay: boolean
  /** Whether owners can get mail. Otherwise, no page mentions it. */
  sendsMail: boolean
  /** Whether the log has client addresses. */
  logsAddresses: boolean
  /** Terms of use of its public data: words, or the URL of a page. Undefined if the operator states none. */
  license?: string | undefined
}

/** Returns the URL of the terms of use, if they are a page on the web. */
export const licenseUrl = ({ license = '' }: Pick<Site, 'license'>): string | undefined =>
  /^https?:\/\//.test(license) ? URL.parse(license)?.href : undefined

/** How a paid place is labelled: where there is little room, as a sentence, and within one. */
export const paidWords = ({ isMoneyPlay }: Pick<Site, 'isMoneyPlay'>) => (isMoneyPlay ? PLAY : PAID)

const PAID = { label: 'Paid place', sentence: 'Paid placement', place: 'a paid place' }
const PLAY = { label: 'Play money', sentence: 'Paid with play money', place: 'a place paid with play money' }

interface SiteConfig {
  siteName: string
  siteTagline: string
  /** Path of an SVG file. */
  siteLogo: string | undefined
  siteAccent: Accent | undefined
  dataLicense?: string | undefined
  payments: 'none' | 'sandbox' | 'stripe'
  isMoneyPlay: boolean
  notifications?: { mail: object | undefined }
  accessLog: string
}

/** Returns the site from the settings, with the logo read. @throws BadSetting with one line if that cannot be used */
export const readSite = (config: SiteConfig): Site => ({
  name: config.siteName,
  tagline: config.siteTagline,
  logo: config.siteLogo === undefined ? undefined : readLogo(config.siteLogo),
  accent: config.siteAccent ?? GREEN,
  sellsPlaces: config.payments !== 'none',
  isMoneyPlay: config.isMoneyPlay,
  sendsMail: config.notifications?.mail !== undefined,
  logsAddresses: config.accessLog === 'with-address',
  license: config.dataLicense,
})

function readLogo(path: string): Logo {
  try {
    return checkLogo(readFileSync(path))
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException
    throw new BadSetting('SITE_LOGO', code === undefined ? `${path} ${message}` : `cannot be read: ${message}`)
  }
}

interface Logo {
  svg: Buffer
  /** Its width by its height. */
  shape: number
}

const MAX_BYTES = 64 * 1024
const SVG_NAMESPACE = 'http://www.w3.org/2000/svg'

/** The widest logo that fits into the masthead of a phone, and the narrowest that is visible. */
const SHAPE = { least: 0.25, most: 8 }

/**
 * Checks a logo. It may contain anything else: browsers run and load nothing from an SVG image, and the headers of its
 * address forbid it where the file is opened alone.
 *
 * @throws Error in one line that continues after a setting's name
 */
export function checkLogo(svg: Buffer): Logo {
  if (svg.length > MAX_BYTES) throw new Error(`is a file of ${svg.length} bytes; at most ${MAX_BYTES} are allowed`)
  const text = withoutComments(new TextDecoder('utf-8', { fatal: true }).decode(svg))
  // What may come before the first element begins with `<?` or `<!`.
  const [root = ''] = /<[a-z][^>]*/i.exec(text) ?? []
  if (!/^<(\w+:)?svg\s/.test(root) || !root.includes(SVG_NAMESPACE)) {
    throw new Error('is not an SVG file: its first element is not svg in the namespace of SVG')
  }
  if (!/svg>\s*$/.test(text)) throw new Error('is not a whole SVG file: it does not end with </svg>')
  return { svg, shape: shapeOf(root) }
}

const withoutComments = (text: string): string =>
  text
    .split('<!--')
    .map((part, place) => (place === 0 ? part : part.slice(part.indexOf('-->') + 3)))
    .join('')

/** Returns its width by its height. @throws Error if it gives no size, or does not fit into a line */
function shapeOf(root: string): number {
  const [, viewBox = ''] = /\sviewBox\s*=\s*["']([^"']*)/.exec(root) ?? []
  const [, width] = /\swidth\s*=\s*["']([^"']*)/.exec(root) ?? []
  const [, height] = /\sheight\s*=\s*["']([^"']*)/.exec(root) ?? []
  const [, , boxWidth, boxHeight] = viewBox
    .trim()
    .split(/[\s,]+/)
    .map(Number)
  const [w, h] =
    boxWidth && boxHeight ? [boxWidth, boxHeight] : [Number.parseFloat(width ?? ''), Number.parseFloat(height ?? '')]
  const shape = w / h
  if (!(w > 0 && h > 0)) throw new Error('has no size: give its svg element a viewBox')
  if (shape < SHAPE.least || shape > SHAPE.most) {
    throw new Error(
      `is ${w} wide and ${h} high; it may be at most ${SHAPE.most} times as wide as high, and at least a quarter`,
    )
  }
  return shape
}

/** What it is without any setting. */
export const PLACARD: Site = {
  name: 'Placard',
  tagline: 'A public notice board for websites',
  logo: undefined,
  accent: GREEN,
  sellsPlaces: true,
  isMoneyPlay: false,
  sendsMail: false,
  logsAddresses: false,
}
