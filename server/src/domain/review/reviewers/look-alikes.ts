import { domainToUnicode } from 'node:url'
import { editDistance } from '@placard/contract'
import { parse } from 'tldts'
import data from 'unhomoglyph/data.json' with { type: 'json' }
import type { Destination } from '../../destinations/destination.ts'
import { type FetchedPage, hostsOf } from '../page.ts'
import { flag, type Opinion, PASS, reject } from '../verdict.ts'
import type { Reviewer } from './reviewers.ts'

/** How a host imitates a name; `page`, if only its page does. */
type Manner = 'mixed' | 'homograph' | 'spelling' | 'subdomain' | 'beside' | 'typo' | 'hosted' | 'page'

/** Words that hosts of false login pages add to the name that they imitate. */
const LOGIN_WORDS = new Set(
  `account accounts auth billing confirm helpdesk id login logon portal recover recovery secure security service signin
  sso support unlock update validate verification verify wallet webmail`.split(/\s+/),
)

/** What login pages write beside the name in their title. */
const BESIDE_NAME = new Set([
  ...LOGIN_WORDS,
  ...'a an and com in log my net official on or org page register sign site the to up website welcome your'.split(' '),
])

/** Too many legitimate names are one letter away from a shorter one. */
const TYPO_MIN_LENGTH = 6

/**
 * Finds hosts that look like a well-known name. That is not proof: a host is refused only if its page also uses the
 * name as its own, or asks for a password. Otherwise, the page is flagged. Also finds copies of login pages, whose host
 * looks like nothing: they call themselves by the name alone, and ask for a password.
 */
export class LookAlikes implements Reviewer {
  readonly name = 'look-alikes'
  readonly version = '5'
  readonly #names: ReadonlyMap<string, string>

  /** @param hosts of the operator, to protect in addition to the built-in ones */
  constructor(hosts: readonly string[] = []) {
    const names = [...WELL_KNOWN, ...hosts.map(labelOf)]
    this.#names = new Map(names.map(name => [skeletonOf(name), name]))
  }

  review(page: FetchedPage, destination: Destination): Opinion {
    const asksPassword = page.passwordForms.length > 0
    const hosts = hostsOf(page, destination)
    for (const host of hosts) {
      const found = this.#find(host)
      if (found === undefined) continue
      const [manner, name, word] = found
      const calledSo = [page.metadata.title, page.metadata.siteName].some(
        text => names(text, name) && !(differsVisibly(word, name) && writes(text, word)),
      )
      const evidence = { host, shown: domainToUnicode(host), like: name, manner, calledSo, asksPassword }
      const detail = `The name ${host} looks like ${name}, which it is not.`
      // Such a host may be a legitimate help page, just a similar word, or the name's owner. So both signs are needed.
      const isTypoOrHosted = manner === 'typo' || manner === 'hosted'
      const isWeak = manner === 'beside' || isTypoOrHosted
      const isPlain = isWeak || manner === 'spelling'
      // Agencies have such hosts, and universities that run the software.
      if (SELF_HOSTED.has(name) && (manner === 'beside' || manner === 'subdomain')) return flag('policy', evidence)
      if (asksPassword && (calledSo || !isPlain)) return reject('malicious', detail, evidence)
      if (manner === 'mixed' || (calledSo && !isWeak)) return reject('policy', detail, evidence)
      if (!isTypoOrHosted) return flag('policy', evidence)
    }
    const name = asksPassword ? this.#ownNameOf(page.metadata) : undefined
    if (name === undefined || hosts.some(host => bare(labelOf(host)) === bare(name))) return PASS
    const evidence = { host: destination.hostname, like: name, manner: 'page' satisfies Manner, asksPassword }
    // A host that contains the name may be its owner's, like cash.app, or an older one of the same name.
    const isPart = hosts.some(host => bare(host).includes(bare(name)))
    const doubts = [isPart, EVERYDAY.has(name), SELF_HOSTED.has(name)].filter(Boolean).length
    if (doubts > 0) return doubts === 1 ? flag('policy', evidence) : PASS
    return reject(
      'malicious',
      `The page calls itself ${name} and asks for a password, at a host without that name.`,
      evidence,
    )
  }

  /** The well-known name that is all of a page's title, or of the name it gives its site, apart from words of logins. */
  #ownNameOf({ title, siteName }: FetchedPage['metadata']): string | undefined {
    for (const text of [title, siteName]) {
      const words = wordsOf(text).filter(word => !BESIDE_NAME.has(word))
      // "Sign in to GitHub · GitHub" has it twice.
      const half = words.slice(words.length / 2)
      const rest = words.slice(0, words.length / 2).join() === half.join() ? half : words
      const name = this.#names.get(skeletonOf(rest.join(''))) ?? this.#names.get(skeletonOf(rest.join('-')))
      if (name !== undefined) return name
    }
    return undefined
  }

  /** Returns how a host imitates a name, the name, and the word that looks like it. */
  #find(host: string): [Manner, name: string, word: string] | undefined {
    const { domainWithoutSuffix, subdomain, isPrivate } = parse(host, {
      allowPrivateDomains: true,
      extractHostname: false,
    })
    const label = domainToUnicode(domainWithoutSuffix ?? '')
    if (label === '') return undefined
    if (this.#names.get(skeletonOf(label)) === label) {
      // Below a host such as github.io, names belong to its users.
      return isPrivate && this.#isName(label) ? ['hosted', label, label] : undefined
    }
    const words = label.split('-')
    for (const word of [label, words.join(''), ...words]) {
      const like = this.#names.get(skeletonOf(word))
      if (like === undefined || like === word) continue
      const manner = mannerOf(word)
      const isAnotherWord = (manner === 'spelling' && !/\d/.test(word)) || differsVisibly(word, like)
      if (!EVERYDAY.has(like) || !isAnotherWord) return [manner, like, word]
    }
    // The genuine address in front of the real one: paypal.com.evil.net
    const borrowed = (subdomain ?? '')
      .split('.')
      .slice(0, -1)
      .find(each => this.#isName(each))
    if (borrowed !== undefined) return ['subdomain', borrowed, borrowed]
    const beside = words.some(word => LOGIN_WORDS.has(word)) && words.find(word => this.#isName(word))
    if (beside) return ['beside', beside, beside]
    const joined = words.join('')
    const near = [...this.#names.values()].find(
      name => !EVERYDAY.has(name) && (name === joined || isTypoOf(joined, name)),
    )
    return near === undefined ? undefined : ['typo', near, joined]
  }

  #isName(word: string): boolean {
    return this.#names.get(skeletonOf(word)) === word && !EVERYDAY.has(word)
  }
}

/** Whether a word differs from a name in one letter: left out, added, exchanged, or two swapped. */
const isTypoOf = (word: string, name: string): boolean =>
  name.length >= TYPO_MIN_LENGTH && shareAnEnd(word, name) && editDistance(word, name, 1) === 1

/** One typo changes the first letter of a name or the last, so most names need no closer look. */
const shareAnEnd = (word: string, name: string): boolean => word[0] === name[0] || word.at(-1) === name.at(-1)

function mannerOf(word: string): Manner {
  if (/^[\x20-\x7e]*$/.test(word)) return 'spelling'
  const mixes = /\p{Script=Latin}/u.test(word) && /[\p{Script=Cyrillic}\p{Script=Greek}]/u.test(word)
  return mixes ? 'mixed' : 'homograph'
}

const labelOf = (host: string) =>
  domainToUnicode(parse(host, { allowPrivateDomains: true }).domainWithoutSuffix ?? host)

/** Returns whether words of a text, joined, look like a name: "Bank of America" is bankofamerica. */
function names(text: string, protectedName: string): boolean {
  const name = skeletonOf(protectedName.replaceAll('-', ''))
  const words = wordsOf(text).map(skeletonOf)
  return words.some((_, from) => {
    let joined = ''
    for (const word of words.slice(from)) {
      joined += word
      if (joined.length >= name.length) break
    }
    return joined === name
  })
}

/** Whether a word looks like a name, but readers see the difference: accents, or a small i or j in place of an l. */
function differsVisibly(word: string, name: string): boolean {
  const plain = word.normalize('NFD').replaceAll(/\p{Mn}/gu, '')
  const isNear = (letter: string, at: number) => letter === name[at] || /[ij]/.test(letter)
  return word !== name && plain.length === name.length && [...plain].every(isNear)
}

/** Whether a text writes a word with its own letters. A capital I looks like an l. */
const writes = (text: string, word: string): boolean =>
  [text, text.replaceAll('I', 'l')].every(each => wordsOf(each).includes(word))

const bare = (host: string): string => host.replaceAll(/[-.]/g, '')

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

/** The confusable characters of UTS 39 and what each looks like. */
const CONFUSABLES: Readonly<Record<string, string>> = data

/**
 * Characters that look alike at reading speed, beyond UTS 39, which distinguishes `i` from `l`. Browsers do the same.
 */
const GLANCE: Readonly<Record<string, string>> = {
  i: 'l',
  '1': 'l',
  '|': 'l',
  j: 'l',
  '0': 'o',
  ı: 'l',
  ȷ: 'l',
}

/**
 * Returns the shape of a word: two words that look alike have the same. It is the skeleton of UTS 39, without accents,
 * and with the pairs that people confuse (rn and m, vv and w, 1, i and l).
 */
export function skeletonOf(word: string): string {
  let shape = ''
  for (const character of word.toLowerCase().normalize('NFD')) {
    for (const part of (CONFUSABLES[character] ?? character).toLowerCase().normalize('NFD')) {
      if (!/\p{Mn}/u.test(part)) shape += GLANCE[part] ?? part
    }
  }
  return shape.replaceAll('vv', 'w')
}

/**
 * The names that phishing pages imitate most, as their owners write them in a host name. A name under any suffix counts
 * as its owner's: trademark disputes are for courts. No name has fewer than five letters, because too many legitimate
 * words look like those.
 */
const WELL_KNOWN: readonly string[] = `
adobe airbnb aliexpress alibaba allegro amazon americanexpress apple atlassian bankofamerica barclays battlenet binance
bitbucket blackrock bloomberg booking bradesco canva capitalone carrefour cashapp chase chatgpt citibank cloudflare
coinbase commerzbank correos craigslist creditagricole credit-agricole dailymotion deliveroo deutschebank deutsche-bank deutschepost deutsche-post discord disney
docusign doordash dropbox duckduckgo duolingo etherscan ethereum eventbrite expedia facebook fidelity figma flickr
flipkart fortnite github gitlab godaddy gofundme google hetzner hotmail huawei hubspot icloud ikea imgur indeed
instagram intuit itau kakao kayak kickstarter klarna kraken kucoin ledger linkedin lloydsbank mailchimp mastercard
mediamarkt medium mercadolibre messenger metamask microsoft mozilla myspace natwest netflix nintendo notion nubank
nvidia office365 okta onedrive openai opensea oracle outlook patreon paypal paypay payoneer pinterest playstation
postbank protonmail qantas quora rakuten raiffeisen reddit revolut roblox robinhood salesforce samsung santander
sberbank shein shopee shopify signal skype slack snapchat sofort soundcloud sparkasse spotify squarespace
stackoverflow starbucks steamcommunity steampowered stripe substack swisscom target telegram tencent tesla tether
tiktok tinder tripadvisor trustpilot trustwallet tumblr twitch twitter ubereats ubisoft uniswap unicredit usbank
venmo verizon vimeo vodafone volksbank walmart wellsfargo westernunion whatsapp wikipedia wordpress xfinity yahoo
yandex youtube zalando zelle zendesk zoominfo`
  .split(/\s+/)
  .filter(name => name.length >= 5)

/** Names that are also everyday words, so a legitimate page may use them. Only homographs in another script count. */
const EVERYDAY: ReadonlySet<string> = new Set(
  `allegro booking chase discord fidelity indeed kayak ledger medium messenger notion oracle outlook robinhood
  signal slack sofort stripe target tether twitch`.split(/\s+/),
)

/** Software that others run under their own hosts, whose login pages have its name. */
const SELF_HOSTED: ReadonlySet<string> = new Set(['bitbucket', 'gitlab', 'wordpress'])
