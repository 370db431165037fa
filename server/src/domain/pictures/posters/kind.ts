import { initialsOf, shortName } from './name.ts'
import { isMeasured } from './wood-type.ts'

/** How a placard is drawn. The first three spell the name out. */
export const KINDS = [
  'stack',
  'repeat',
  'vertical',
  'initials',
  'disc',
  'bleed',
  'corner',
  'characters',
  'shapes',
] as const
export type Kind = (typeof KINDS)[number]

/** The kind for each part of a hash, whatever the name. */
const BY_HASH: readonly Kind[] = [
  'initials',
  'stack',
  'disc',
  'repeat',
  'bleed',
  'vertical',
  'corner',
  'stack',
  'repeat',
  'vertical',
]

/** Scripts in which one or two characters represent a name. */
const STANDING_ALONE =
  /^[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Cyrl}\p{sc=Grek}\p{sc=Hebr}\p{sc=Armn}\p{sc=Geor}]/u

/** The kind of a listing: that of its host's hash, if its name allows it. */
export function kindOf({ hostname, title }: { hostname: string; title: string }): Kind {
  const name = shortName(title)
  if (name === '') return 'shapes'
  if (!isMeasured(name)) return STANDING_ALONE.test(name) ? 'characters' : 'shapes'
  const kind = fitting(BY_HASH[hashOf(hostname) % BY_HASH.length] ?? 'initials', name.split(' '))
  // A short name stands for itself, and would be small in a corner.
  return kind === 'corner' && initialsOf(title).length > 2 ? 'initials' : kind
}

/** Longer words would be too small to spell out. */
function fitting(kind: Kind, words: readonly string[]): Kind {
  const [{ length: first }, longest] = [words[0] ?? '', Math.max(...words.map(word => word.length))]
  if (kind === 'stack') {
    if (words.length > 3 || longest > 11) return 'initials'
    if (words.length > 1) return 'stack'
    if (first >= 10) return 'bleed'
    return first % 2 === 0 ? 'repeat' : 'vertical'
  }
  if (kind === 'vertical') return first > 9 ? 'bleed' : 'vertical'
  if (kind === 'repeat') {
    if (first > 9) return 'bleed'
    return words.length > 2 || longest > 11 ? 'disc' : 'repeat'
  }
  return kind
}

const SHOW_INITIALS: ReadonlySet<Kind> = new Set(['initials', 'disc', 'bleed', 'corner'])

/** Whether a drawing spells the whole title, so that the page need not repeat it below. */
export function spellsTitle(kind: Kind, title: string): boolean {
  const isWhole = shortName(title) === title
  if (SHOW_INITIALS.has(kind)) return isWhole && isMeasured(title) && initialsOf(title) === title.toUpperCase()
  if (kind === 'vertical') return isWhole && !title.includes(' ')
  return isWhole && (kind === 'stack' || kind === 'repeat')
}

/** A whole number from 0 to 2³²−1 for a text, the same everywhere and always (FNV-1a, then mixed). */
export function hashOf(text: string): number {
  let hash = 2_166_136_261
  for (const sign of text) hash = Math.imul(hash ^ (sign.codePointAt(0) ?? 0), 16_777_619)
  hash = Math.imul(hash ^ (hash >>> 15), 2_246_822_519)
  return (hash ^ (hash >>> 13)) >>> 0
}
