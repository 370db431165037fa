import { readFileSync } from 'node:fs'
import { type LabelledPage, labelledPages } from './pages.ts'

/** A website as a look at it keeps it. */
interface Look {
  host: string
  /** After redirects. */
  finalHost: string
  /** Of the certificate, and the names in it. */
  issuer: string
  names: readonly string[]
  title: string
  text: string
  language: string
  outgoingHosts: readonly string[]
  status: number
}

/** A listed website before and after. Only a takeover should be hidden. */
export interface Pair {
  kind: 'takeover' | 'rebrand' | 'redesign' | 'outage'
  before: Look
  after: Look
}

const ISSUERS = ["Let's Encrypt", 'Google Trust Services', 'Sectigo', 'DigiCert', 'Amazon'] as const
const OUTGOING = ['www.instagram.com', 'github.com', 'www.youtube.com', 'www.openstreetmap.org', 'mastodon.social']

/** All pairs of `pages/pairs.txt`, whose first lines explain its form. */
export function pairs(): Pair[] {
  const pages = new Map(
    ['ordinary', 'adult', 'phishing', 'scam', 'parked']
      .flatMap(labelledPages)
      .map(page => [`${page.label}:${page.name}`, page]),
  )
  const pageAt = (at: string): LabelledPage => {
    const page = pages.get(at)
    if (page === undefined) throw new Error(`there is no page ${at}`)
    return page
  }
  const all: Pair[] = []
  let kind = 'takeover' as Pair['kind']
  for (const line of readFileSync(new URL('./pages/pairs.txt', import.meta.url), 'utf8').split('\n')) {
    if (line.startsWith('=')) kind = line.slice(1).trim() as Pair['kind']
    if (line === '' || '=#'.includes(line[0] as string)) continue
    const [host = '', title = '', text = '', written = ''] = line.split('|').map(part => part.trim())
    const before = lookAt(pageAt(`ordinary:${host}`), all.length)
    const extras = Object.fromEntries(
      written
        .split(' ')
        .filter(Boolean)
        .map(each => each.split('=', 2) as [string, string]),
    )
    const isError = Number(extras.status ?? 200) >= 400
    const from = extras.from === undefined ? undefined : pageAt(extras.from)
    all.push({
      kind,
      before,
      after: {
        ...before,
        finalHost: extras.final ?? before.finalHost,
        issuer: extras.issuer ?? before.issuer,
        names: extras.names?.split(',') ?? before.names,
        title: from?.title ?? (title === '' && !isError ? before.title : title),
        text: from?.text ?? (title === '' && !isError ? before.text : text),
        language: extras.lang ?? from?.language ?? before.language,
        outgoingHosts: extras.out?.split(',') ?? (from ? [] : before.outgoingHosts),
        status: Number(extras.status ?? before.status),
      },
    })
  }
  return all
}

/** What a page does not say of itself, made up: the same for the same page. */
const lookAt = ({ host, title, text, language }: LabelledPage, nth: number): Look => ({
  host,
  finalHost: host,
  title,
  text,
  language,
  status: 200,
  issuer: ISSUERS[nth % ISSUERS.length] as string,
  names: [host, `www.${host}`],
  outgoingHosts: [OUTGOING[nth % OUTGOING.length], OUTGOING[(nth + 2) % OUTGOING.length]] as string[],
})
