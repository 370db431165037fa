import { readFileSync } from 'node:fs'

/** What a website of the seed is and says. */
export interface Website {
  host: string
  category: string
  language: string
  title: string
  description: string
  /** What its preview image shows; `none`: it names no image. */
  kind: 'photo' | 'shot' | 'logo' | 'square' | 'wide' | 'none'
}

export const WEBSITES: readonly Website[] = JSON.parse(
  readFileSync(new URL('listings.json', import.meta.url), 'utf8'),
)
