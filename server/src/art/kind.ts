import { hashOf } from './hash.ts'
import { shortName } from './name.ts'
import { isMeasured } from './wood-type.ts'

/** How a placard is drawn. The first three of these spell the name out. */
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

/** Which kind a hash stands for, before the name has its say. */
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

/** Scripts whose characters stand alone, and are known by one or two. */
const STANDING_ALONE =
  /^[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Cyrl}\p{sc=Grek}\p{sc=Hebr}\p{sc=Armn}\p{sc=Geor}]/u

/** The kind of a listing: by the hash of its host, as far as its name allows. */
export function kindOf({ hostname, title }: { hostname: string; title: string }): Kind {
  const name = shortName(title)
  if (name === '') return 'shapes'
  if (!isMeasured(name)) return STANDING_ALONE.test(name) ? 'characters' : 'shapes'
  return fitting(BY_HASH[hashOf(hostname) % BY_HASH.length] ?? 'initials', name.split(' '))
}

/** Long words would be small, so they are not spelt out. */
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

/** Whether a drawing spells the whole title, so that it need not stand below again. */
export function spellsTitle(kind: Kind, title: string): boolean {
  const isWhole = shortName(title) === title
  if (kind === 'vertical') return isWhole && !title.includes(' ')
  return isWhole && (kind === 'stack' || kind === 'repeat')
}
