import { parseDestination } from '../../domain/destinations/destination.ts'
import { type FetchedPage, NO_METADATA } from '../../domain/review/page.ts'
import { chosenReviewers } from '../../domain/review/reviewers/chosen-reviewers.ts'
import { PASS } from '../../domain/review/verdict.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Store } from '../../platform/db/store.ts'
import type { Links } from '../../platform/http/links.ts'
import { failed, ok, warning } from './finding.ts'

const URL_ASKED = 'https://www.iana.org/'

/** A page that no reviewer has a reason to refuse, and that reveals nothing about the operator. */
const HARMLESS: FetchedPage = {
  url: URL_ASKED,
  headers: {},
  metadata: { ...NO_METADATA, title: 'Internet Assigned Numbers Authority', language: 'en' },
  text: 'The global coordination of the DNS Root, IP addressing, and other Internet protocol resources.',
  hasScript: false,
  ratings: [],
  verifications: [],
  refreshTo: null,
  refreshesAtOnce: false,
  passwordForms: [],
  gist: { fingerprint: '0'.repeat(16), words: [] },
  linkedHosts: [],
  judged: { pageRules: PASS, phrases: PASS, parking: [] },
}

/** Asks each reviewer about a harmless page, as a publish does. */
export async function checkReviewers(config: Config, store: Store, links: Links) {
  const reviewers = await chosenReviewers(config, store, links).open()
  try {
    const answers = await reviewers.askEach(HARMLESS, parseDestination(URL_ASKED))
    const problems = answers.flatMap(({ name, decides, opinion }) => {
      if (opinion.verdict === 'pass') return []
      if (opinion.verdict !== 'cannot_tell') {
        return [warning(`${name} has an objection to ${URL_ASKED} (${opinion.reason}): check its lists and settings`)]
      }
      const effect = decides ? 'no new website can be listed' : 'new websites are listed without its opinion'
      const said = `${name} gives no opinion (${opinion.why}), so ${effect}: check its settings (docs/moderation.md)`
      return [decides ? failed(said) : warning(said)]
    })
    return problems.length > 0
      ? problems
      : ok(`all ${answers.length} answer: ${answers.map(({ name }) => name).join(', ')}`)
  } finally {
    await reviewers.close()
  }
}
