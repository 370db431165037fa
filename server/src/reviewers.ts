import type { Config } from './config.ts'
import { Blocklists } from './review/blocklists.ts'
import { LookAlikes } from './review/look-alikes.ts'
import { DnsBlocklists } from './review/online/dns-blocklists.ts'
import { DnsFilter } from './review/online/dns-filter.ts'
import { Moderation } from './review/online/moderation.ts'
import { WebRisk } from './review/online/web-risk.ts'
import { pageRules } from './review/page-rules.ts'
import { phrases } from './review/phrases.ts'
import { type Reviewer, Reviewers } from './review/reviewers.ts'
import { BadSetting } from './settings/bad-setting.ts'
import type { ReviewerName } from './settings/review.ts'

/** The reviewers that the settings choose, not yet open. @throws BadSetting if one lacks a setting that it needs */
export function chosenReviewers({ reviewing, dnsServers }: Config): Reviewers {
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
    moderation: () => new Moderation(reviewing.moderation),
  }
  if (
    reviewing.reviewers.some(({ name }) => name === 'dns-blocklists') &&
    reviewing.dnsBlocklists.length === 0
  ) {
    throw new BadSetting('DNS_BLOCKLISTS', 'must be set for the reviewer dns-blocklists')
  }
  return new Reviewers(reviewing.reviewers.map(({ name, decides }) => ({ reviewer: made[name](), decides })))
}
