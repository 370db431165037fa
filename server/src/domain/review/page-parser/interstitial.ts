import type { UnjudgedPage } from '../page.ts'
import { type CannotTell, cannotTell } from '../verdict.ts'

/** Headers with which firewalls mark their own pages. */
const MARKS: readonly (readonly [header: string, value: RegExp])[] = [
  ['cf-mitigated', /^challenge/],
  ['x-amzn-waf-action', /^(?:challenge|captcha)/],
  ['sg-captcha', /^challenge/],
]

/**
 * A title, whole or beside the website's name, and a phrase of the text. Without a title, the text begins with the
 * phrase. Without a phrase, a script adds all text.
 */
type Sign = readonly [title: string, said: string]

const CHALLENGES: readonly Sign[] = [
  // Cloudflare, DDoS-Guard
  ...['just a moment', 'please wait', 'ddos-guard', 'checking your browser'].flatMap(title =>
    [
      '',
      'checking your browser before accessing',
      'checking if the site connection is secure',
      'needs to review the security of your connection',
      'enable javascript and cookies to continue',
      'verifies you are not a bot',
    ].map(said => [title, said] as const),
  ),
  ['', 'checking your browser before accessing'],
  ['attention required', 'you have been blocked'],
  ['attention required', 'please complete the security check to access'],
  ['waiting room powered by cloudflare', 'you are now in line'],
  // Akamai
  ['access denied', 'on this server. reference #'],
  ['challenge validation', ''],
  // Imperva
  ['', 'request unsuccessful. incapsula incident id'],
  ['pardon our interruption', 'made us think you were a bot'],
  ['pardon our interruption', 'made us think that you are a bot'],
  // HUMAN (PerimeterX), DataDome
  ['access to this page has been denied', ''],
  ['access to this page has been denied', 'px-captcha'],
  ['access to this page has been denied', 'you are using automation tools'],
  ['access to this page has been denied', 'confirm you are a human (and not a bot)'],
  ['', 'please enable js and disable any ad blocker'],
  // Sucuri, F5, Imunify360, LiteSpeed, SiteGround, Fastly, Vercel
  ['you are being redirected', ''],
  ['access denied', 'access denied - sucuri website firewall'],
  ['request rejected', 'your support id is'],
  ['one moment, please', 'please wait while your request is being verified'],
  ['bot verification', 'verifying that you are not a robot'],
  ['robot challenge screen', 'checking the site connection security'],
  ['client challenge', "a required part of this site couldn't load"],
  ['vercel security checkpoint', "we're verifying your browser"],
  // Anubis, Yandex, Amazon
  ["making sure you're not a bot", 'anubis'],
  ['вы не робот', 'запросы отправляли вы, а не робот'],
  ['are you not a robot', 'confirm that you and not a robot'],
  ['', "enter the characters you see below sorry, we just need to make sure you're not a robot"],
]

/** Titles of gates that websites build around a captcha from one of these hosts, and hide from search engines. */
const GATES = [
  ...['just a moment', 'please wait', 'one moment, please', 'security check', 'human verification'],
  ...['verify you are human', 'verifying you are human', 'are you human', 'checking your browser'],
]
const CAPTCHA_HOSTS = ['challenges.cloudflare.com', 'js.hcaptcha.com', 'www.google.com', 'www.recaptcha.net']

/** What widespread plug-ins for maintenance say. */
const MAINTENANCE: readonly Sign[] = [
  ['maintenance', 'briefly unavailable for scheduled maintenance'],
  ['maintenance mode', 'our website is currently undergoing scheduled maintenance'],
  ['site is undergoing maintenance', 'site will be available soon'],
  ['site under maintenance', 'is currently under maintenance. we should be back shortly'],
]

/** Hosts, with their subdomains, where websites send visitors before their own page, and what is there. */
const GATE_HOSTS: readonly (readonly [what: string, hosts: string])[] = [
  ['a check for robots', 'validate.perfdrive.com'],
  [
    'a question about cookies',
    'consent.google.com consent.youtube.com consent.yahoo.com guce.yahoo.com myprivacy.dpgmedia.nl myprivacy.dpgmedia.be',
  ],
  ['a waiting room', 'queue-it.net'],
  ['a login', 'accounts.google.com login.microsoftonline.com login.live.com b2clogin.com'],
]

/** Longer texts discuss such pages. */
const TEXT_MAX_LENGTH = 1_500

/**
 * Returns why a page says nothing of its website if it is only shown before the website's own: a check for robots, a
 * question about cookies, a waiting room, a login elsewhere, or a notice of maintenance. Many have status 200.
 *
 * @param robots what the page and its headers tell search engines
 * @param hasRobotCheck whether it has a script or frame of such a check: then it is one if it has no words
 */
export function asInterstitial(page: UnjudgedPage, robots: string, hasRobotCheck: boolean): CannotTell | undefined {
  // Only its owner can put the proof of a website there.
  if (page.verifications.length > 0) return undefined
  const shown = page.text.length > TEXT_MAX_LENGTH ? undefined : signsOf(page, /noindex/i.test(robots))
  const isMarked = MARKS.some(([header, value]) => value.test(page.headers[header] ?? ''))
  const isOnlyCheck = hasRobotCheck && page.text + page.metadata.title + page.metadata.description === ''
  if (isMarked || isOnlyCheck || shown?.isGate || shown?.has(CHALLENGES))
    return instead('a check for robots', ' Let its firewall admit the User-Agent that starts with Placard.')
  const host = `.${new URL(page.url).hostname}`
  const [gate] = GATE_HOSTS.find(([, hosts]) => hosts.split(' ').some(each => host.endsWith(`.${each}`))) ?? []
  if (gate !== undefined) return instead(gate)
  return shown?.has(MAINTENANCE) ? instead('a notice of maintenance') : undefined
}

const instead = (what: string, advice = '') =>
  cannotTell(
    `${what} instead of its page`,
    'site_unreachable',
    `The website shows ${what} instead of its page.${advice}`,
  )

function signsOf({ metadata, text, hasScript, linkedHosts }: UnjudgedPage, isUnlisted: boolean) {
  const [title, said] = [metadata.title, text || metadata.description].map(plain) as [string, string]
  const titles = [title, ...title.split(/ [|–—·-] /)]
  const isCalled = (name: string) =>
    titles.some(each => each.startsWith(name) && /^[\s.!?]*$/.test(each.slice(name.length)))
  // Websites that show everything by a script can have any title, but want to be found.
  const isBare = said === '' && hasScript && isUnlisted
  const isShown = ([named, phrase]: Sign) => {
    if (named === '') return said.startsWith(phrase)
    return isCalled(named) && (phrase === '' ? isBare : said.includes(phrase))
  }
  return {
    has: (signs: readonly Sign[]) => signs.some(isShown),
    isGate: isUnlisted && GATES.some(isCalled) && linkedHosts.some(host => CAPTCHA_HOSTS.includes(host)),
  }
}

const plain = (text: string) => text.toLowerCase().replaceAll('’', "'").replaceAll('…', '...')
