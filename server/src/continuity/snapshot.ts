import { registrableDomain } from '../destinations/hostname.ts'
import type { Opinion } from '../destinations/verdict.ts'
import { bitsBetween } from '../reading/gist.ts'
import type { Certificate, Fetched, Gist, ParkingSign } from '../reading/page.ts'

/** What is kept of a listed page: what changes when somebody else takes it over. Some two kilobytes of plain JSON. */
export interface Snapshot extends Gist {
  /** Registrable domain that redirects led to. */
  domain: string
  certificate: Certificate | null
  title: string
  /** Primary subtag, or empty. */
  language: string
  /** Registrable domains of other owners that it links to or loads from, at most `OUTGOING_MAX`. */
  outgoing: readonly string[]
  parking: readonly ParkingSign[]
  /** Kinds of phrases that it uses, such as `adult`, and without any that such pages do not use. */
  kinds: readonly string[]
}

const OUTGOING_MAX = 40

export function snapshotOf({ page, certificate }: Pick<Fetched, 'page' | 'certificate'>): Snapshot {
  const { metadata, judged, gist } = page
  const domain = registrableDomain(new URL(page.url).hostname)
  const outgoing = new Set(page.linkedHosts.map(registrableDomain))
  outgoing.delete(domain)
  return {
    ...gist,
    domain,
    certificate,
    title: metadata.title,
    language: metadata.language.split('-', 1)[0] ?? '',
    outgoing: [...outgoing].slice(0, OUTGOING_MAX),
    parking: judged.parking,
    kinds: kindsOf(judged.phrases),
  }
}

function kindsOf(phrases: Opinion): string[] {
  const { kind, sobering } = ('evidence' in phrases && phrases.evidence) || {}
  return typeof kind === 'string' && !(Array.isArray(sobering) && sobering.length > 0) ? [kind] : []
}

/** Up to so many bits, it is the same page with another date or offer. */
const SAME_BITS = 12

/** Whether two looks at a page show the same text. */
export const isSameText = (a: Gist, b: Gist): boolean =>
  bitsBetween(a.fingerprint, b.fingerprint) <= SAME_BITS

/** Grammar and furniture of websites, which no two pages need to have in common. */
const COMMON = new Set(
  `about after also and back been before best come contact down every find first free from full have help here home into
  just know learn like login made make many menu more most need news next only open other over page people plus policy
  privacy read search shop sign site some start team terms than that their them there these they this time today used
  very want website welcome well were what when where which will with without work year years your
  auch dein deine dem den der des die eine einem einen einer euch für ihre kann mehr nach nicht oder sich sind über
  und unter unser unsere von wird wir avec chez dans des elle est les leur nous notre nos par pas pour plus que sans
  sont sur une vos votre vous como con del desde esta este las los más para pero por que sin sobre sus una
  alle anche che come con della delle dei nel nella non per più sono tutti een het met niet van voor zijn
  dla jest nie oraz się
  для как или что это bir için ile`.split(/\s+/),
)

/** The words that two looks at a page have in common, and that mean something. */
export const sharedWords = (a: Gist, b: Gist): string[] => {
  const there = new Set(b.words)
  return a.words.filter(word => there.has(word) && !COMMON.has(word))
}
