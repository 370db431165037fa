import type { Config } from '../../../platform/config/config.ts'
import type { ReviewerName } from '../../../platform/config/review.ts'
import { BadSetting } from '../../../platform/config/row.ts'
import type { Runner } from '../../../platform/db/store.ts'
import type { Links } from '../../../platform/http/links.ts'
import { Problem } from '../../../platform/http/problem.ts'
import { VERSION } from '../../../platform/lib/package.ts'
import { type Destination, parseImageAddress } from '../../destinations/destination.ts'
import { createGuardedFetcher, type WantedDocument } from '../fetcher/guarded-fetcher.ts'
import { UNTYPED } from '../fetcher/http-get.ts'
import { FetchEnded, type FetchLimits } from '../fetcher/limits.ts'
import { blockedHosts } from './blocked-hosts.ts'
import { Blocklists } from './blocklists.ts'
import { DnsBlocklists } from './dns-blocklists.ts'
import { DnsFilter } from './dns-filter.ts'
import { LookAlikes } from './look-alikes.ts'
import { type LoadPicture, Moderation } from './moderation-api.ts'
import { pageRules } from './page-rules.ts'
import { phrases } from './phrases.ts'
import { type Reviewer, Reviewers } from './reviewers.ts'
import { WebRisk } from './web-risk.ts'

/**
 * Returns the reviewers that the settings choose, not yet open. The first one is always the hosts that operators have
 * blocked.
 *
 * @throws BadSetting if one lacks a setting that it needs
 */
export function chosenReviewers(config: Config, runner: Runner, links: Links): Reviewers {
  const { reviewing, dnsServers } = config
  const made: Record<ReviewerName, () => Reviewer> = {
    'page-rules': () => pageRules,
    blocklists: () => new Blocklists(reviewing.blocklists),
    'look-alikes': () => new LookAlikes(reviewing.protectedHosts),
    phrases: () => phrases,
    'dns-filter': () => new DnsFilter(reviewing.dnsFilter),
    'dns-blocklists': () => new DnsBlocklists(reviewing.dnsBlocklists, dnsServers),
    'web-risk': () => {
      const { webRiskApiKey: apiKey, webRiskApiUrl: apiUrl } = reviewing
      if (!apiKey) throw new BadSetting('WEB_RISK_API_KEY', 'must be set for the reviewer web-risk')
      return new WebRisk({ apiKey, apiUrl })
    },
    moderation: () => new Moderation({ ...reviewing.moderation, loadPicture: createPictureLoader(config, links) }),
  }
  if (reviewing.reviewers.some(({ name }) => name === 'dns-blocklists') && reviewing.dnsBlocklists.length === 0) {
    throw new BadSetting('DNS_BLOCKLISTS', 'must be set for the reviewer dns-blocklists')
  }
  return new Reviewers([
    { reviewer: blockedHosts(runner), decides: true },
    ...reviewing.reviewers.map(({ name, decides }) => ({ reviewer: made[name](), decides })),
  ])
}

/** A fetcher of its own, so that publishing never waits for pictures. */
const PAGE_PICTURE_FETCH_LIMITS: Partial<FetchLimits> = { atOnceMax: 8, waitMs: 1_000, totalMs: 2_000 }

/** The types that moderation endpoints read. */
const PICTURE: WantedDocument = {
  accepts: ['image/png', 'image/jpeg', 'image/jpg', 'image/webp', 'image/gif', ...UNTYPED],
  bodyMaxBytes: 1024 * 1024,
}

/**
 * Creates the loader of pictures for reviewers. A page may name any address, so only the guarded fetcher opens it. A
 * reviewer that got the address would be a proxy into its own network.
 */
export function createPictureLoader({ dnsServers, connectTo }: Config, links: Links): LoadPicture {
  const limits = PAGE_PICTURE_FETCH_LIMITS
  const fetcher = createGuardedFetcher({ dnsServers, connectTo, links, version: VERSION, limits })
  return async (address, stop) => {
    const destination = destinationOf(address, links.hostname)
    if (!destination) return undefined
    const fetched = await fetcher.visit(destination, get => get(destination, PICTURE), { stop })
    if (fetched instanceof FetchEnded) return undefined
    const mediaType = mediaTypeOf(fetched.body)
    return mediaType && `data:${mediaType};base64,${fetched.body.toString('base64')}`
  }
}

function destinationOf(address: string, ownHost: string): Destination | undefined {
  try {
    return parseImageAddress(address, ownHost)
  } catch (error) {
    if (error instanceof Problem) return undefined
    throw error
  }
}

/** By its first bytes, because a server may declare any type. */
function mediaTypeOf(bytes: Buffer): string | undefined {
  const start = bytes.toString('latin1', 0, 12)
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png'
  if (start.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  if (start.startsWith('GIF8')) return 'image/gif'
  return /^RIFF.{4}WEBP$/s.test(start) ? 'image/webp' : undefined
}
