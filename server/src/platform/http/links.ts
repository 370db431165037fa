import { QUOTE_PATH } from '@placard/contract'
import { BadSetting } from '../config/row.ts'
import { PLACARD, type Site } from '../config/site.ts'
import type { Store } from '../db/store.ts'

/** The page for people who want a website listed. */
export const LIST_PATH = '/list'

/** The page for owners who prove that a website is theirs. */
export const OWN_PATH = '/own'

/** Returns the path of the page at `OWN_PATH`, for one website if an address is passed. */
export const ownPath = (url?: string): string =>
  url === undefined ? OWN_PATH : `${OWN_PATH}?${new URLSearchParams({ address: url })}`

/** The page where a customer answers an agent. Confidential: anyone with the code can answer. */
export const approvePath = (code: string): string => `/approve/${code}`

/** The page for owners who lost their private link, and get mail. */
export const LOST_LINK_PATH = '/own/mail'

/** The page of the last draw by lot, and of the draw of a UTC day. */
export const DRAW_PATH = '/draw'
export const drawPath = (day: string): string => `${DRAW_PATH}/${day}`

export const PICKS_PATH = '/picks'

/** The page and the files of the client that this site serves. */
export const CLIENT_PATH = '/client/'

/** The client for Node, a file at `CLIENT_PATH`. */
export const CLIENT_TARBALL = 'placard-agent.tgz'

/** No client can connect to a wildcard address, so links use loopback instead. */
const WILDCARDS: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

interface LinksConfig {
  baseUrl: string | undefined
  supportUrl: string | undefined
  clientPackage?: string | undefined
  /** Placard's own by default. */
  site?: Site
}

/**
 * All addresses of the site, and facts that every page shows. The base comes from `BASE_URL`, or is known when the
 * service listens: with `PORT=0`, the system picks the port.
 */
export class Links {
  #base: string | undefined
  #hostname: string | undefined
  readonly #support: string | undefined
  /** A package on npm with the same client. Undefined if there is none, and then no text may name one. */
  readonly clientPackage: string | undefined
  /** The site's name and look. */
  readonly site: Site

  constructor(config: LinksConfig) {
    this.#base = config.baseUrl
    this.#support = config.supportUrl
    this.clientPackage = config.clientPackage
    this.site = config.site ?? PLACARD
  }

  /** Sets the base from the listening address, unless `BASE_URL` is set. @throws BadSetting if no URL can have the host */
  listeningOn(host: string, port: number): void {
    const reachable = WILDCARDS[host] ?? host
    const url = URL.parse(`http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`)
    if (this.#base === undefined && !url)
      throw new BadSetting('BASE_URL', `must be set: no link can contain HOST ${host}`)
    // A browser's Origin has no default port, and its host is in lower case.
    this.#base ??= url?.origin
  }

  /** Origin of the service, without a trailing slash. */
  get base(): string {
    if (this.#base === undefined) throw new Error('the base address is unknown until the service listens')
    return this.#base
  }

  get hostname(): string {
    this.#hostname ??= new URL(this.base).hostname
    return this.#hostname
  }

  get support(): string {
    return this.#support ?? `${this.base}/support`
  }

  /** Whether SUPPORT_URL is set. Otherwise, support is only a page to read, and no text may promise an answer. */
  get isSupportGiven(): boolean {
    return this.#support !== undefined
  }

  /** Where owners prove that a website is theirs. */
  get own(): string {
    return this.base + OWN_PATH
  }

  get quoteEndpoint(): string {
    return this.base + QUOTE_PATH
  }

  get agentGuide(): string {
    return `${this.base}/agent-guide.md`
  }

  /** The client, as `npx -y` and `npm install` take it: served here, so that it always fits this site. */
  get client(): string {
    return this.base + CLIENT_PATH + CLIENT_TARBALL
  }

  /** Public page of a listing. */
  product(slug: string): string {
    return `${this.base}/product/${slug}`
  }

  /** Calendar file of a listing's end, if it has one. */
  endCalendar(slug: string): string {
    return `${this.product(slug)}/end.ics`
  }

  /** Badge of a listing, with its place, for other websites. @param choice of style and board, if not the default */
  badge(slug: string, choice: { style?: string; board?: string } = {}): string {
    const query = new URLSearchParams(choice).toString()
    return `${this.base}/badge/${slug}.svg${query && `?${query}`}`
  }

  /** Private management link. Confidential: browsers never send the fragment to a server. */
  privateLink(claimId: string, ownerToken: string): string {
    return `${this.base}/manage/${claimId}#owner=${ownerToken}`
  }

  /** Private feed of a listing. Confidential: anyone with it can read the owner's notifications. */
  noticeFeed(token: string): string {
    return `${this.base}/feed/${token}.atom`
  }

  /** The private page, which asks for the rest of its link. */
  privatePage(claimId: string): string {
    return `${this.base}/manage/${claimId}`
  }

  /** Where owners ask for a mail that opens their private page, on a site that sends mail. */
  get lostLink(): string {
    return this.base + LOST_LINK_PATH
  }

  /** A link in a mail to an owner. Confidential: its token is all it needs. */
  mail(does: string, token: string): string {
    return `${this.base}/mail/${does}/${token}`
  }

  /** The page of an order, to which a buyer returns from the processor. */
  checkout(checkoutId: string): string {
    return `${this.base}/checkout/${checkoutId}`
  }

  /** Prefilled form for a person. It authorises nothing. */
  promote(choice: Promoted): string {
    return this.base + promotePath(choice)
  }
}

interface Promoted {
  destination: { url: string }
  category: string
  board?: string
  targetBid?: number
}

/** Path of the promote page with a choice filled in. */
export function promotePath({ destination, category, board, targetBid }: Promoted): string {
  const query = new URLSearchParams({ destination: destination.url, category })
  if (board !== undefined) query.set('board', board)
  if (targetBid !== undefined) query.set('target', String(targetBid))
  return `/promote?${query}`
}

/** Returns the promote page's address for a place, without a website. @param targetBid in US dollars */
export const placePath = ({ board, targetBid }: { board: string; targetBid: number }): string =>
  `/promote?board=${board}&target=${targetBid}`

/** The parts that most API routes need: the database, the site's addresses, and the clock. */
export interface SiteParts {
  links: Links
  store: Store
  clock: () => number
}
