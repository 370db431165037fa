import { haveSameOwner, registrableDomain, whyNotPublicName } from '../../destinations/hostname.ts'
import type { Judged, ParkingSign, UnjudgedPage } from '../page.ts'
import { type Flag, flag, type Opinion, PASS, type Reject, reject } from '../verdict.ts'
import { judgePhrases } from './phrases.ts'
import type { Reviewer } from './reviewers.ts'

/** The label of the Restricted To Adults scheme. Every page has the same. */
const RTA_LABEL = 'rta-5042-1996-1400-1577-rta'

const HOSTS_MAX = 10

/** The reader process forms this opinion. */
export const pageRules: Reviewer = {
  name: 'page-rules',
  version: '7',
  review: page => page.judged.pageRules,
}

/** Judges a page by its own contents, without the network. */
const judgePage = (page: UnjudgedPage): Opinion =>
  redirectsElsewhere(page) ??
  stealsPasswords(page) ??
  isLabelledAdult(page) ??
  isParked(page) ??
  isEmpty(page) ??
  sharesLogin(page) ??
  PASS

function redirectsElsewhere({ url, refreshTo }: UnjudgedPage): Reject | undefined {
  if (refreshTo === null || !isElsewhere(refreshTo, url)) return undefined
  const { hostname: host } = new URL(refreshTo)
  return reject('redirects_elsewhere', `The page sends its visitors on to ${nameOf(host)}.`, { host })
}

/** Refuses a page whose passwords go to a website that it names nowhere else, and whose name is another one. */
function stealsPasswords(page: UnjudgedPage): Reject | undefined {
  const hosts = passwordsSentTo(page)
  if (hosts.length === 0) return undefined
  const named = new Set(page.linkedHosts.map(registrableDomain))
  const label = labelOf(new URL(page.url).hostname)
  const unnamed = hosts.filter(host => !named.has(registrableDomain(host)) && labelOf(host) !== label)
  const [first] = unnamed
  return first === undefined
    ? undefined
    : reject('malicious', `The page sends passwords to ${nameOf(first)}.`, { hosts: unnamed.slice(0, HOSTS_MAX) })
}

/** Returns the name that companies register under several suffixes. */
const labelOf = (host: string): string => registrableDomain(host).split('.', 1)[0] as string

/**
 * Flags a page whose passwords go to another website that it also links to or loads from. Newspapers sign readers in at
 * their publisher, and small companies at their customers' portal. Thieves rarely link to where they collect.
 */
function sharesLogin(page: UnjudgedPage): Flag | undefined {
  const hosts = passwordsSentTo(page).slice(0, HOSTS_MAX)
  return hosts.length > 0 ? flag('malicious', { hosts }) : undefined
}

/** The hosts of other websites to which forms send passwords. */
const passwordsSentTo = ({ url, passwordForms }: UnjudgedPage): string[] => [
  ...new Set(
    passwordForms.filter(({ action }) => isElsewhere(action, url)).map(({ action }) => new URL(action).hostname),
  ),
]

function isLabelledAdult({ headers, ratings }: UnjudgedPage): Reject | undefined {
  const labels = [...ratings, ...(headers.rating ?? '').split(',')].map(label => label.trim().toLowerCase())
  const adult = labels.filter(label => label === 'adult' || label === RTA_LABEL)
  return adult.length > 0 ? reject('adult_content', undefined, { labels: [...new Set(adult)] }) : undefined
}

function isParked(page: UnjudgedPage): Reject | undefined {
  const signs = parkingSigns(page)
  if (signs.includes('default_page'))
    return reject('parked_domain', 'The website shows a default page of its server or hosting company.', { signs })
  // Legitimate pages may have one sign.
  return signs.length >= 2 ? reject('parked_domain', undefined, { signs }) : undefined
}

/** A title is enough, because a script may add the rest. */
function isEmpty({ metadata, text }: UnjudgedPage): Reject | undefined {
  return /[\p{L}\p{N}]/u.test(metadata.title + metadata.description + text) ? undefined : reject('empty_page')
}

const isElsewhere = (address: string, pageUrl: string) =>
  !haveSameOwner(new URL(address).hostname, new URL(pageUrl).hostname)

/** Returns a host as text that is safe to show to a customer, although the page may have written anything. */
const nameOf = (hostname: string): string => (whyNotPublicName(hostname) === undefined ? hostname : 'another website')

/** Domains that parking and domain-sale services load their pages from. */
const PARKING_DOMAINS = new Set(
  `above.com afternic.com atom.com bodis.com cashparking.com d38psrni17bvxu.cloudfront.net dan.com domainmarket.com
  efty.com hugedomains.com parkingcrew.net parklogic.com sedo.com sedoparking.com skenzo.com undeveloped.com
  voodoo.com`.split(/\s+/),
)

/**
 * Phrases of parked pages, grouped by meaning: two phrases of one group count as one sign. The page's own domain reads
 * "this domain". Other names may be for sale on honest pages.
 */
const PHRASES = [
  /\bdomain for sale\b|(?<!each |that |your )\bdomain(?: name)? (?:is|(?:may|might|could) be) (?:available )?for sale\b/,
  /\b(?:domain|website|site|page) (?:is|has been) (?:currently )?parked\b|\bparked (?:free|domain)\b/,
  /\b(?:buy|purchase|acquire|get|own) this domain\b|\b(?:inquire about|make an offer (?:on|for)) this domain\b/,
]

/** Phrases of the same groups in other languages. */
const ELSEWHERE = [
  `domain steht zum verkauf, domain zu verkaufen, domain ist zu verkaufen, domaine est à vendre, domaine à vendre,
   dominio está en venta, dominio en venta, dominio è in vendita, dominio in vendita, domínio está à venda,
   domínio à venda, domein is te koop, domein te koop, domena jest na sprzedaż, domena na sprzedaż, домен продаётся,
   домен продается, alan adı satılıktır, alan adı satılık`,
  `ist geparkt, domain geparkt, domaine est parqué, domaine parqué, dominio aparcado, dominio parcheggiato,
   domínio estacionado, domein is geparkeerd, domena zaparkowana, домен припаркован, hier entsteht eine neue internetpräsenz`,
  `jetzt domain kaufen, domain können sie kaufen, angebot abgeben, domain wurde soeben registriert, achetez ce domaine,
   offre pour ce nom de domaine, comprar este dominio, oferta por este dominio, acquista questo dominio, compre este domínio,
   bod op dit domein, kup tę domenę, купить этот домен, alan adını satın al`,
].map(list => list.split(',').map(phrase => phrase.trim().replace(/\s+/g, ' ')))

/**
 * Pages that servers and hosting companies show before there is a website: all of the title, or of the part beside a
 * name, and a phrase. A page of help has more in its title.
 */
const DEFAULT_PAGES: readonly (readonly [title: RegExp, text: string])[] = [
  [/^welcome to nginx(?: on [\w ]+)?$/, 'further configuration is required'],
  [/^(?:apache2? \w+ )?default page(?:: it works)?$/, 'default welcome page used to test'],
  [/^(?:domain |web server's )?default page$/, 'no website at this address'],
  [/^(?:apache )?(?:http server )?test page (?:for the|powered by)/, 'used to test the proper operation of'],
  [/^welcome page$/, 'placeholder page installed by'],
  [/^caddy works$/, 'caddy is ready to serve your site'],
  [/^default web site page$/, 'contact your hosting provider'],
  [/^iis windows(?: server)?$/, 'internet information services'],
  [/^account suspended$/, 'contact your hosting provider'],
  [/^expired domain$/, 'this domain has expired'],
  [/^just registered$/, 'domain was just registered'],
  [/^future home of something quite cool$/, 'if you are the site owner'],
]

/** Parked pages are short. Longer texts discuss such phrases. */
const PARKED_TEXT_MAX_LENGTH = 3_000

/** The default page of Debian's Apache has 3,252 characters. */
const DEFAULT_TEXT_MAX_LENGTH = 4_000

/** The groups of `PHRASES`, in order. */
const GROUPS = ['for_sale', 'parked', 'buy'] as const satisfies ParkingSign[]

function parkingSigns(page: UnjudgedPage): ParkingSign[] {
  if (page.text.length > DEFAULT_TEXT_MAX_LENGTH) return []
  const own = registrableDomain(new URL(page.url).hostname)
  const lower = `${page.metadata.title}\n${page.metadata.description}\n${page.text}`
    .toLowerCase()
    .replaceAll(own, 'this domain')
  const first: ParkingSign[] = isDefaultPage(page, lower) ? ['default_page'] : []
  if (page.text.length > PARKED_TEXT_MAX_LENGTH) return first
  const host = usesParkingService(page)
  return [
    ...first,
    ...GROUPS.filter((_, group) => PHRASES[group]?.test(lower) || ELSEWHERE[group]?.some(each => lower.includes(each))),
    ...(host ? (['service'] as const) : []),
    // A parking service's page often has only its script.
    ...(host && page.hasScript && page.text === '' ? (['bare'] as const) : []),
  ]
}

function isDefaultPage({ metadata, text }: UnjudgedPage, lower: string): boolean {
  const title = metadata.title.toLowerCase()
  // Apache's own page says nothing else.
  if (title.startsWith('it works!') && text === 'It works!') return true
  const titles = title.split(/ [|–—-] /).map(part => part.replace(/[.!]$/, ''))
  return DEFAULT_PAGES.some(([named, said]) => lower.includes(said) && titles.some(each => named.test(each)))
}

function usesParkingService(page: UnjudgedPage): boolean {
  const own = registrableDomain(new URL(page.url).hostname)
  return page.linkedHosts.some(host => {
    const domain = registrableDomain(host)
    return PARKING_DOMAINS.has(domain) && domain !== own
  })
}

/** Returns all opinions that follow from the page alone. They are formed in the process that parses it. */
export const judge = (page: UnjudgedPage): Judged => ({
  pageRules: judgePage(page),
  phrases: judgePhrases(page),
  parking: parkingSigns(page),
})
