import { readFileSync } from 'node:fs'
import { SaxesParser } from 'saxes'
import { type Accent, GREEN } from './accent.ts'
import { BadSetting } from './values.ts'

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
  /** Whether owners can get mail. Otherwise, no page mentions it. */
  sendsMail: boolean
  /** Terms of use of its public data: words, or the URL of a page. Undefined if the operator states none. */
  license?: string | undefined
}

/** Returns the URL of the terms of use, if they are a page on the web. */
export const licenseUrl = ({ license = '' }: Pick<Site, 'license'>): string | undefined =>
  /^https?:\/\//.test(license) ? URL.parse(license)?.href : undefined

interface SiteConfig {
  siteName: string
  siteTagline: string
  /** Path of an SVG file. */
  siteLogo: string | undefined
  siteAccent: Accent | undefined
  dataLicense?: string | undefined
  payments: 'none' | 'sandbox' | 'stripe'
  telling?: { mail: object | undefined }
}

/** Returns the site from the settings, with the logo read. @throws BadSetting with one line if that cannot be used */
export const readSite = ({
  siteName,
  siteTagline,
  siteLogo,
  siteAccent,
  dataLicense,
  payments,
  telling,
}: SiteConfig): Site => ({
  name: siteName,
  tagline: siteTagline,
  logo: siteLogo === undefined ? undefined : readLogo(siteLogo),
  accent: siteAccent ?? GREEN,
  sellsPlaces: payments !== 'none',
  sendsMail: telling?.mail !== undefined,
  license: dataLicense,
})

function readLogo(path: string): Logo {
  try {
    return checkLogo(readFileSync(path))
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException
    throw new BadSetting('SITE_LOGO', code === undefined ? `${path} ${message}` : `cannot be read: ${message}`)
  }
}

/** The operator's logo, checked. */
interface Logo {
  svg: Buffer
  /** Its width by its height. */
  shape: number
}

const MAX_BYTES = 64 * 1024
const SVG_NAMESPACE = 'http://www.w3.org/2000/svg'

/** The widest logo that fits into the masthead of a phone, and the narrowest that is visible. */
const SHAPE = { least: 0.25, most: 8 }

/** Elements that run, embed, or load foreign content. */
const FORBIDDEN = new Set(['script', 'foreignobject', 'iframe', 'embed', 'object', 'audio', 'video', 'handler'])

/**
 * Checks a logo. Browsers run and load nothing from an SVG image. This check protects anyone who opens the file alone,
 * and finds a broken file at the start.
 *
 * @throws Error in one line that continues after a setting's name
 */
export function checkLogo(svg: Buffer): Logo {
  if (svg.length > MAX_BYTES) throw new Error(`is a file of ${svg.length} bytes; at most ${MAX_BYTES} are allowed`)
  return { svg, shape: shapeOf(rootOf(svg)) }
}

type Attributes = Readonly<Record<string, string>>

/** Reads the whole file. @returns the attributes of its root */
function rootOf(svg: Buffer): Attributes {
  const parser = new SaxesParser({ xmlns: true })
  let root: Attributes | undefined
  let styles: string | undefined
  parser.on('error', error => {
    throw new Error(`is not an SVG file: ${error.message.split('\n')[0]}`)
  })
  parser.on('doctype', () => refuse('a document type'))
  parser.on('processinginstruction', ({ target }) => refuse(`the instruction ${target}`))
  parser.on('opentag', ({ local, uri, attributes }) => {
    const values = Object.fromEntries(Object.values(attributes).map(({ name, value }) => [name, value]))
    if (!root && (local !== 'svg' || uri !== SVG_NAMESPACE)) {
      throw new Error('is not an SVG file: its first element is not svg in the namespace of SVG')
    }
    root ??= values
    if (FORBIDDEN.has(local.toLowerCase())) refuse(`the element ${local}`)
    if (local.toLowerCase() === 'style') styles = ''
    for (const [name, value] of Object.entries(values)) checkAttribute(name, value)
  })
  parser.on('text', text => {
    if (styles !== undefined) styles += text
  })
  parser.on('cdata', text => {
    if (styles !== undefined) styles += text
  })
  parser.on('closetag', ({ local }) => {
    if (local.toLowerCase() !== 'style') return
    checkStyles(styles ?? '')
    styles = undefined
  })
  parser.write(decoded(svg)).close()
  return root ?? {}
}

function decoded(svg: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(svg)
  } catch {
    throw new Error('is not an SVG file: it is not UTF-8')
  }
}

function checkAttribute(name: string, value: string): void {
  const local = name.split(':').at(-1)?.toLowerCase() ?? ''
  if (local.startsWith('on')) refuse(`the attribute ${name}`)
  if ((local === 'href' || local === 'src') && !value.trim().startsWith('#')) refuse(`a reference to ${shortly(value)}`)
  // An animation could add a forbidden value.
  if (local === 'attributename' && /href$|^on/i.test(value.trim())) refuse(`an animation of ${value}`)
  if (!name.startsWith('xmlns')) checkStyles(value)
}

/** For a style sheet, or an attribute, many of which take the same values. */
function checkStyles(text: string): void {
  // An escape could hide a reference.
  const close = text.replace(/[\s"']/g, '')
  if (/url\([^#]|@import|image-set|\\/i.test(close)) {
    refuse(`a reference in ${shortly(text)}`)
  }
}

const shortly = (text: string) => JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text)

function refuse(what: string): never {
  throw new Error(`has ${what}, which a logo must not have: it must not depend on other files`)
}

/** Returns its width by its height. @throws Error if it gives no size, or does not fit into a line */
function shapeOf({ viewBox, width, height }: Attributes): number {
  const [, , boxWidth, boxHeight] = (viewBox ?? '')
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
  sendsMail: false,
}
