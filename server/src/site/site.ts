import { readFileSync } from 'node:fs'
import { BadSetting } from '../settings/bad-setting.ts'
import { type Accent, GREEN } from './accent.ts'
import { checkLogo, type Logo } from './logo.ts'

/** Whose board this is: what pages, feeds and pictures call it, and how it looks. */
export interface Site {
  name: string
  /** A few words on what it is, without a full stop. */
  tagline: string
  /** Undefined means its name, in type. */
  logo: Logo | undefined
  accent: Accent
}

interface SiteConfig {
  siteName: string
  siteTagline: string
  /** Path of an SVG file. */
  siteLogo: string | undefined
  siteAccent: Accent | undefined
}

/** What the settings come to, with the logo read. @throws BadSetting with one line if that cannot be used */
export const readSite = ({ siteName, siteTagline, siteLogo, siteAccent }: SiteConfig): Site => ({
  name: siteName,
  tagline: siteTagline,
  logo: siteLogo === undefined ? undefined : readLogo(siteLogo),
  accent: siteAccent ?? GREEN,
})

function readLogo(path: string): Logo {
  try {
    return checkLogo(readFileSync(path))
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException
    throw new BadSetting(
      'SITE_LOGO',
      code === undefined ? `${path} ${message}` : `cannot be read: ${message}`,
    )
  }
}
