import { haveSameOwner, whyNotPublicName } from '../destinations/hostname.ts'
import { type Opinion, PASS, type Reject, reject } from '../destinations/verdict.ts'
import type { UnjudgedPage } from '../reading/page.ts'
import { looksParked } from './parked.ts'
import type { Reviewer } from './reviewers.ts'

/** The label of the Restricted To Adults scheme, the same on every page. */
const RTA_LABEL = 'rta-5042-1996-1400-1577-rta'

/** Its opinion was formed where the page was read. */
export const pageRules: Reviewer = {
  name: 'page-rules',
  version: '2',
  review: page => page.judged.pageRules,
}

/** Judges a page by its own contents, without the network. */
export const judgePage = (page: UnjudgedPage): Opinion =>
  steersAway(page) ??
  stealsPasswords(page) ??
  isLabelledAdult(page) ??
  isParked(page) ??
  isEmpty(page) ??
  PASS

function steersAway({ url, refreshTo }: UnjudgedPage): Reject | undefined {
  if (refreshTo === null || !isElsewhere(refreshTo, url)) return undefined
  return reject('redirects_elsewhere', `The page sends its visitors on to ${nameOf(refreshTo)}.`)
}

function stealsPasswords({ url, passwordForms }: UnjudgedPage): Reject | undefined {
  const form = passwordForms.find(({ action }) => isElsewhere(action, url))
  if (form === undefined) return undefined
  return reject('malicious', `The page sends passwords to ${nameOf(form.action)}.`)
}

function isLabelledAdult({ headers, ratings }: UnjudgedPage): Reject | undefined {
  const labels = [...ratings, ...(headers.rating ?? '').split(',')].map(label => label.trim().toLowerCase())
  return labels.some(label => label === 'adult' || label === RTA_LABEL) ? reject('adult_content') : undefined
}

const isParked = (page: UnjudgedPage) => (looksParked(page) ? reject('parked_domain') : undefined)

/** A title is enough, since an application's script may bring the rest. */
function isEmpty({ metadata, text }: UnjudgedPage): Reject | undefined {
  return /[\p{L}\p{N}]/u.test(metadata.title + metadata.description + text) ? undefined : reject('empty_page')
}

const isElsewhere = (address: string, pageUrl: string) =>
  !haveSameOwner(new URL(address).hostname, new URL(pageUrl).hostname)

/** The host of an address, safe to show to a customer: the page wrote it, and may have written anything. */
function nameOf(address: string): string {
  const { hostname } = new URL(address)
  return whyNotPublicName(hostname) === undefined ? hostname : 'another website'
}
