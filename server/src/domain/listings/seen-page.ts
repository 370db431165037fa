import type { Trx } from '../../platform/db/store.ts'
import { daysMs } from '../../platform/lib/time.ts'
import { registrableDomain } from '../destinations/hostname.ts'
import type { Certificate, Fetched, Gist, ParkingSign } from '../review/page.ts'
import { bitsBetween } from '../review/page-parser/fingerprint.ts'
import type { Opinion } from '../review/verdict.ts'

/** What is stored of a listed page: everything that changes in a takeover. About two kilobytes of plain JSON. */
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
  /** Kinds of phrases that it uses, such as `adult`, without any sobering phrase. */
  kinds: readonly string[]
  /**
   * Kinds of phrases that it uses together with a sobering phrase, such as "how to recognise". Missing in older
   * snapshots.
   */
  quotes?: readonly string[]
  /** Missing in older snapshots. */
  asksPassword?: boolean
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
    ...kindsOf(judged.phrases),
    asksPassword: page.passwordForms.length > 0,
  }
}

function kindsOf(phrases: Opinion): { kinds: string[]; quotes: string[] } {
  const { kind, sobering } = ('evidence' in phrases && phrases.evidence) || {}
  if (typeof kind !== 'string') return { kinds: [], quotes: [] }
  const isQuoted = Array.isArray(sobering) && sobering.length > 0
  return isQuoted ? { kinds: [], quotes: [kind] } : { kinds: [kind], quotes: [] }
}

/** Up to this many different bits, it is the same page with another date or offer. */
const SAME_BITS = 12

/** Returns whether two snapshots show the same text. */
export const isSameText = (a: Gist, b: Gist): boolean => bitsBetween(a.fingerprint, b.fingerprint) <= SAME_BITS

/** Words of grammar, and standard words of websites. Unrelated pages share them. Of Korean words, the first two syllables. */
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
  для как или что это bir için ile
  가능 가장 개인 검색 고객 관련 그리 기타 누구 다른 다양 다음 대한 대해 더보 되는 됩니 드립 로그 많은 매일 메뉴 모두 모든 무료
  문의 바로 방문 보세 사용 사이 새로 서비 소개 시작 아니 안내 안녕 언제 없는 없습 여기 여러 오늘 오신 오전 오후 우리 위치
  위한 위해 이용 이제 입니 있는 있습 있어 저희 전화 정보 제공 주문 주세 지금 찾아 처리 최고 추천 통해 하고 하기 하는
  하세 합니 함께 해보 홈페 환영 회사 회원`.split(/\s+/),
)

/** Returns the words of a page that are meaningful. */
export const distinctiveWords = ({ words }: Gist): string[] => words.filter(word => !COMMON.has(word))

/** Returns the meaningful words that two snapshots share. */
export const sharedWords = (a: Gist, b: Gist): string[] => {
  const there = new Set(b.words)
  return distinctiveWords(a).filter(word => there.has(word))
}

/** After a publish, which has just read the page. */
const FIRST_WAIT_MS = daysMs(1)

/** Returns what publishing stores of the page it has just read: about a kilobyte. */
export const firstSeen = (fetched: Fetched, now: number): { snapshot: string; lookAt: number } => ({
  snapshot: JSON.stringify(snapshotOf(fetched)),
  lookAt: now + FIRST_WAIT_MS,
})

/** Reschedules a listing's recheck to a time, if it was scheduled for later. */
export async function recheckSoon(trx: Trx, listingId: number, at: number): Promise<void> {
  await trx
    .updateTable('seen_page')
    .set({ lookAt: at })
    .where('listingId', '=', listingId)
    .where('lookAt', '>', at)
    .execute()
}
