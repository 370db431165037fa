import type { Config } from '../../../platform/config/config.ts'
import type { ReviewerName } from '../../../platform/config/review.ts'
import { BadSetting } from '../../../platform/config/values.ts'
import type { Runner } from '../../../platform/db/store.ts'
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
export function chosenReviewers(config: Config, runner: Runner, loadPicture: LoadPicture): Reviewers {
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
    moderation: () => new Moderation({ ...reviewing.moderation, loadPicture }),
  }
  if (reviewing.reviewers.some(({ name }) => name === 'dns-blocklists') && reviewing.dnsBlocklists.length === 0) {
    throw new BadSetting('DNS_BLOCKLISTS', 'must be set for the reviewer dns-blocklists')
  }
  return new Reviewers([
    { reviewer: blockedHosts(runner), decides: true },
    ...reviewing.reviewers.map(({ name, decides }) => ({ reviewer: made[name](), decides })),
  ])
}
