import { readFileSync } from 'node:fs'

/** A website of the seed. */
export interface Website {
  host: string
  category: string
  language: string
  title: string
  description: string
  /** What its preview image shows; `none` if it has no image. */
  kind: 'photo' | 'shot' | 'logo' | 'square' | 'wide' | 'none'
}

export const WEBSITES: readonly Website[] = JSON.parse(readFileSync(new URL('listings.json', import.meta.url), 'utf8'))
