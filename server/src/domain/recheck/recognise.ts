import { registrableDomain } from '../destinations/hostname.ts'
import { isSameText, type Snapshot, sharedWords, tellingWords } from '../listings/seen-page.ts'
import type { PageMetadata } from '../review/page.ts'

/** The minimum number of shared words for pages about the same subject. */
const TIES_MIN = 2
/** The share of its words that a page keeps if it is the same one, and the share if its title stayed, too. */
const KEPT_MIN = 1 / 2
const KEPT_WITH_TITLE_MIN = 1 / 4

/** Returns all words of a page, to search for those that it had before. */
export const wholeText = ({ metadata, text }: { metadata: PageMetadata; text: string }): string =>
  `${metadata.title}\n${metadata.description}\n${text}`.toLowerCase()

/**
 * Returns whether a page is recognisably the one that was listed: at the same place, with the same text or enough of
 * its words. What visitors add to a page removes nothing from it, so the words are searched in the whole text. A title
 * is easily left in place, so it proves little.
 */
export function isRecognisable(before: Snapshot, seen: Snapshot, text: string): boolean {
  if (seen.domain !== before.domain && !isVouchedFor(before, seen)) return false
  if (isSameText(before, seen)) return true
  const title = before.title.toLowerCase()
  const words = tellingWords(before).filter(word => !title.includes(word))
  const kept = words.filter(word => text.includes(word)).length
  if (title !== '' && before.title === seen.title) return kept >= words.length * KEPT_WITH_TITLE_MIN
  return kept >= TIES_MIN && kept >= words.length * KEPT_MIN
}

/**
 * Returns whether the words of a page show that it is still by the same people. On another domain, naming the old one
 * proves nothing.
 */
export function hasTies(before: Snapshot, seen: Snapshot): boolean {
  const shared = sharedWords(before, seen)
  const [name = ''] = before.domain.replaceAll('-', '').split('.', 1)
  const isOfName = (word: string) => name.includes(word)
  if (seen.domain !== before.domain) return shared.length >= TIES_MIN && !shared.every(isOfName)
  return shared.length >= TIES_MIN || shared.some(isOfName)
}

/**
 * Returns whether the listed page showed that the domain that it now leads to belongs to it: by its certificate, or a
 * link. Only what was known before counts, because a stranger can link back, and get a certificate for both domains.
 */
export const isVouchedFor = ({ outgoing, certificate }: Snapshot, { domain }: Snapshot): boolean =>
  outgoing.includes(domain) || (certificate?.names ?? []).some(name => registrableDomain(bare(name)) === domain)

const bare = (name: string) => (name.startsWith('*.') ? name.slice(2) : name)
