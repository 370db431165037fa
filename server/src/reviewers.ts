import type { Config } from './config.ts'
import { Blocklists } from './review/blocklists.ts'
import { LookAlikes } from './review/look-alikes.ts'
import { pageRules } from './review/page-rules.ts'
import { phrases } from './review/phrases.ts'
import { type Reviewer, Reviewers } from './review/reviewers.ts'
import type { ReviewerName } from './setting-values.ts'

/** The reviewers that the settings choose. Not yet open. */
export function chosenReviewers(config: Pick<Config, 'reviewers' | 'blocklists' | 'protectedHosts'>): Reviewers {
  const made: Record<ReviewerName, () => Reviewer> = {
    'page-rules': () => pageRules,
    blocklists: () => new Blocklists(config.blocklists),
    phrases: () => phrases,
    'look-alikes': () => new LookAlikes(config.protectedHosts),
  }
  return new Reviewers(config.reviewers.map(({ name, decides }) => ({ reviewer: made[name](), decides })))
}
