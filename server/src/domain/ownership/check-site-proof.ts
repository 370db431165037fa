import { getServers } from 'node:dns'
import { type Destination, destinationKey, parseDestination } from '../destinations/destination.ts'
import { isSameHost } from '../destinations/hostname.ts'
import { lookUpTxt } from '../review/fetcher/dns.ts'
import { getPage } from '../review/fetcher/fetch-page.ts'
import type { Get, GuardedFetcher, WantedDocument } from '../review/fetcher/guarded-fetcher.ts'
import { FetchEnded } from '../review/fetcher/limits.ts'
import { decodeText, readContentType } from '../review/page-parser/decode-text.ts'
import { VERIFICATION } from '../review/page-parser/page-elements.ts'
import type { PageReaders } from '../review/page-parser/page-readers.ts'
import {
  type CheckSiteProof,
  looksLikeToken,
  type ProofFindings,
  type ProofOutcome,
  type ProofPlace,
  placesFor,
  proofTexts,
} from './site-proof.ts'

export interface SiteProofCheckerOptions {
  fetcher: GuardedFetcher
  readers: Pick<PageReaders, 'read'>
  /** `host:port` of the resolvers to ask for TXT records; empty means the system's. */
  dnsServers: readonly string[]
  /** Smaller limits for tests. */
  limits?: Partial<typeof DEFAULT_LIMITS>
}

/** The file must leave time for the page. */
const DEFAULT_LIMITS = { fileMs: 4_000, dnsMs: 2_000 }
const FILE: WantedDocument = { accepts: ['text/plain'], bodyMaxBytes: 4 * 1024 }

/** Undefined if the token was found, otherwise a sentence about what was found instead. */
type Fault = string | undefined

type IsToken = (text: string) => boolean

/** Creates the check of a site proof: file, then page, then DNS, until one contains the token. */
export function createSiteProofChecker(options: SiteProofCheckerOptions): CheckSiteProof {
  const { fetcher, readers, dnsServers, limits } = options
  const { fileMs, dnsMs } = { ...DEFAULT_LIMITS, ...limits }
  return async (destination, isToken, networks): Promise<ProofOutcome> => {
    const places = placesFor(destination)
    const findings: ProofFindings = {}
    const isFoundAt = async (place: ProofPlace, check: () => Promise<Fault>) => {
      if (!places.includes(place)) return false
      const what = await check()
      if (what !== undefined) findings[place] = what
      return what === undefined
    }
    // One visit for both documents, which share a slot and a time limit.
    const checkSite = async (get: Get) => {
      if (await isFoundAt('well_known', () => checkFile(get, destination, isToken, fileMs))) return 'well_known'
      const page = () => checkPage(get, destination, isToken, { readers, networks })
      return (await isFoundAt('meta_tag', page)) ? 'meta_tag' : undefined
    }
    const visited = await fetcher.visit(destination, checkSite, { networks })
    if (typeof visited === 'string') return { foundBy: visited }
    const isVisited = visited === undefined
    if (!isVisited) {
      const what = 'We couldn’t reach the website right now. Try again in a minute.'
      for (const place of places) if (place !== 'dns_txt') findings[place] = what
    }
    if (await isFoundAt('dns_txt', () => checkDns(destination, isToken, { dnsServers, timeoutMs: dnsMs }))) {
      return { foundBy: 'dns_txt' }
    }
    const isUnknown = !isVisited || findings.dns_txt === HALF_CONFIRMED
    return { foundBy: undefined, findings, ...(isUnknown && { isUnknown }) }
  }
}

async function checkFile(get: Get, destination: Destination, isToken: IsToken, timeoutMs: number): Promise<Fault> {
  const address = parseDestination(proofTexts(destination, '').fileUrl)
  const file = await get(address, { ...FILE, timeoutMs })
  if (file instanceof FetchEnded) {
    return whyEnded(file, 'file', {
      not_a_web_page: 'The file is not sent as text/plain.',
      too_large: 'The file is larger than 4 KiB.',
    })
  }
  // Another host of the same domain may have another owner.
  if (!isSameHost(file.url.hostname, destination.hostname)) {
    return `The file redirects to another host, ${file.url.hostname}.`
  }
  const text = decodeText(file.body, readContentType(file.headers['content-type']))
  const lines = text.split(/[\r\n]+/).map(line => line.trim())
  if (lines.some(isToken)) return undefined
  return lines.some(looksLikeToken) ? 'The file has a different token.' : 'The file doesn’t have the token.'
}

async function checkPage(
  get: Get,
  destination: Destination,
  isToken: IsToken,
  { readers, networks }: { readers: Pick<PageReaders, 'read'>; networks: readonly string[] | undefined },
): Promise<Fault> {
  let seenAt: Pick<URL, 'hostname' | 'pathname'> = new URL(destination.url)
  const recordingGet: Get = async (address, wanted) => {
    const document = await get(address, wanted)
    if (!(document instanceof FetchEnded)) seenAt = document.url
    return document
  }
  const page = await getPage(recordingGet, readers, destination, { networks })
  if (page instanceof FetchEnded) {
    return whyEnded(page, 'page', {
      not_a_web_page: 'The page is not HTML.',
      too_large: 'The page is too large.',
    })
  }
  if (!isSameHost(seenAt.hostname, destination.hostname)) {
    return `The page redirects to another host, ${seenAt.hostname}.`
  }
  if (!isWithin(seenAt, destination)) return `The page redirects to another page, ${seenAt.pathname}.`
  const { verifications } = page.page
  if (verifications.some(content => isToken(content.trim()))) return undefined
  return verifications.length > 0 ? 'The tag has a different token.' : `The page’s head has no ${VERIFICATION} tag.`
}

/** Other pages of the same host may have other authors. */
const isWithin = ({ hostname, pathname }: Pick<URL, 'hostname' | 'pathname'>, { key }: Destination) =>
  `${destinationKey(hostname, pathname)}/`.startsWith(`${key}/`)

/** A resolver fails, and all others have the token, so a proof is neither given nor lost. */
const HALF_CONFIRMED = 'One of our DNS resolvers couldn’t be queried right now. Try again in a minute.'

/** How many resolvers must have the record, so that one that was deceived is not enough. */
const RESOLVERS = 2

async function checkDns(
  destination: Destination,
  isToken: IsToken,
  { dnsServers, timeoutMs }: { dnsServers: readonly string[]; timeoutMs: number },
): Promise<Fault> {
  const { dnsName } = proofTexts(destination, '')
  const resolvers = (dnsServers.length > 0 ? dnsServers : getServers()).slice(0, RESOLVERS)
  const answers = await Promise.all(resolvers.map(server => lookUpTxt(dnsName, { dnsServers: [server], timeoutMs })))
  const texts = answers.map(answer => answer?.map(text => text.trim()) ?? [])
  const having = texts.filter(answer => answer.some(isToken)).length
  if (answers.length === 0 || answers.includes(undefined)) {
    return having > 0 ? HALF_CONFIRMED : 'We couldn’t query the DNS right now. Try again in a minute.'
  }
  if (having === texts.length) return undefined
  if (having > 0)
    return `Not every resolver that we ask has the TXT record at ${dnsName} yet. Try again in a few minutes.`
  const all = texts.flat()
  if (all.length === 0) return `There is no TXT record at ${dnsName}.`
  return all.some(looksLikeToken)
    ? `The TXT record at ${dnsName} has a different token.`
    : `No TXT record at ${dnsName} has the token.`
}

/**
 * Returns why a document could not be fetched, in a sentence. Unreachable, private and refused all read the same, so
 * that the text reveals nothing about our network.
 */
function whyEnded(
  { verdict, httpStatus }: FetchEnded,
  document: 'file' | 'page',
  words: { not_a_web_page: string; too_large: string },
): string {
  if (httpStatus !== undefined) return `The ${document} returned status ${httpStatus}.`
  if (verdict.verdict === 'reject') {
    const { reason, detail } = verdict
    if (reason === 'tls_invalid') return detail ?? 'The website’s certificate cannot be verified.'
    if (reason === 'redirects_elsewhere' || reason === 'not_a_web_page' || reason === 'too_large') {
      return (
        detail ?? (reason === 'redirects_elsewhere' ? `The ${document} redirects to another website.` : words[reason])
      )
    }
  }
  return 'We couldn’t reach the website.'
}
