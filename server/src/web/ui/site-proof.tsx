import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ComponentChildren } from 'preact'
import type { Destination } from '../../domain/destinations/destination.ts'
import {
  type CheckSiteProof,
  type ProofFindings,
  type ProofOutcome,
  type ProofPlace,
  placesFor,
  proofTexts,
  type RunningProof,
  type SiteProofs,
  tokenMatcher,
} from '../../domain/ownership/site-proof.ts'
import { clientNetworks } from '../../platform/http/client-address.ts'
import type { Links } from '../../platform/http/links.ts'
import { giveCookie, PROOF, sentCookie } from './cookies.ts'
import { CopyButton, Entry } from './elements.tsx'
import { Day } from './time.tsx'

interface Dependencies {
  siteProofs: SiteProofs
  checkSiteProof: CheckSiteProof
  links: Links
  clock: () => number
}

/** The proofs that browsers have under way, each in a cookie. */
export class BrowserProofs {
  readonly #deps: Dependencies

  constructor(deps: Dependencies) {
    this.#deps = deps
  }

  /** Returns the proof that a browser has under way for a destination; undefined if there is none. */
  running(request: FastifyRequest, destinationKey: string): RunningProof | undefined {
    const { siteProofs, links, clock } = this.#deps
    return siteProofs.running(sentCookie(request, PROOF, links), destinationKey, clock())
  }

  /** Returns the proof under way. Begins one if there is none. */
  begin(request: FastifyRequest, reply: FastifyReply, destinationKey: string): RunningProof {
    const running = this.running(request, destinationKey)
    if (running) return running
    const { siteProofs, links, clock } = this.#deps
    const now = clock()
    const cookie = siteProofs.begin(now)
    giveCookie(reply, PROOF, cookie, links)
    const begun = siteProofs.running(cookie, destinationKey, now)
    if (!begun) throw new Error('a proof that has just begun is running')
    return begun
  }

  /** Looks for the token of a proof on the website. */
  look(request: FastifyRequest, destination: Destination, { token }: RunningProof): Promise<ProofOutcome> {
    return this.#deps.checkSiteProof(destination, tokenMatcher(token), clientNetworks(request))
  }
}

/** A token tied to this browser, and what the last check found instead of it. */
/** Where a page offers another token below. */
export const NO_TOKEN = 'Your token has expired, or your browser did not keep it. Get a new one below.'

export type Proof = Pick<RunningProof, 'token' | 'until'> & { findings?: ProofFindings }

/** How a token was found. */
export const FOUND_AS: Record<ProofPlace, string> = {
  well_known: 'a file on the website',
  meta_tag: 'a tag on the page',
  dns_txt: 'a DNS record',
}

/** The places for a token, each with a text to copy and the result of the last check. */
export function ProofPlaces({ destination, proof }: { destination: Destination; proof: Proof }) {
  const { token, until, findings = {} } = proof
  const { fileUrl, metaTag, dnsName } = proofTexts(destination, token)
  const places = placesFor(destination)
  const isPageOnly = places.length === 1
  return (
    <>
      <p>
        {isPageOnly
          ? 'Put this tag into the page itself. Many people share its host, so nothing else there can prove whose page it is.'
          : 'One of these three is enough. All have the same token.'}{' '}
        It works only for this browser and this website, until <Day at={until} />. You can leave older tokens where they
        are.
      </p>
      <div class={isPageOnly ? 'proofs alone' : 'proofs'}>
        <Place name="A tag" place="meta_tag" label="Easiest" finding={findings.meta_tag} text={metaTag}>
          In the head of <bdi>{destination.url}</bdi>
        </Place>
        {places.includes('well_known') && (
          <Place name="A file" place="well_known" label="If you can upload" finding={findings.well_known} text={token}>
            Plain text at <bdi>{fileUrl}</bdi>
          </Place>
        )}
        {places.includes('dns_txt') && (
          <Place
            name="A DNS record"
            place="dns_txt"
            label="If you run the domain"
            finding={findings.dns_txt}
            text={token}
          >
            A TXT record named <bdi>{dnsName}</bdi>
          </Place>
        )}
      </div>
    </>
  )
}

interface PlaceProps {
  name: string
  place: ProofPlace
  /** Who it suits, as a label. */
  label: string
  finding: string | undefined
  text: string
  children: ComponentChildren
}

/** `assets/own.js` writes what it finds into `data-finding`. */
function Place({ name, place, label, finding, text, children }: PlaceProps) {
  const id = `proof-${place}`
  return (
    <section aria-labelledby={`${id}-name`}>
      <p class="label">{label}</p>
      <h3 id={`${id}-name`}>{name}</h3>
      <p class="small soft">{children}</p>
      <div class="bar">
        <span class="small soft">Paste this</span>
        <CopyButton source={id} label={COPY[place]} />
      </div>
      <pre class="prompt copy" id={id}>
        {text}
      </pre>
      <p class="fault" data-finding={place} hidden={!finding}>
        {finding}
      </p>
    </section>
  )
}

const COPY: Record<ProofPlace, string> = { meta_tag: 'Copy tag', well_known: 'Copy line', dns_txt: 'Copy text' }

/** Where the usual hosts take a proof. */
export const CommonHosts = ({ destination }: { destination: Destination }) => {
  const places = placesFor(destination)
  return (
    <dl class="own-hosts">
      {HOSTS.filter(({ place }) => places.includes(place)).map(({ name, place, how }) => (
        <Entry name={name} key={name}>
          <b>{KINDS[place]}</b> {how}
        </Entry>
      ))}
    </dl>
  )
}

const KINDS: Record<ProofPlace, string> = { meta_tag: 'Tag.', well_known: 'File.', dns_txt: 'DNS.' }

const HOSTS: readonly { name: string; place: ProofPlace; how: string }[] = [
  { name: 'WordPress', place: 'meta_tag', how: 'Paste it under Header with a plugin for header code, such as WPCode.' },
  {
    name: 'Squarespace',
    place: 'meta_tag',
    how: 'Settings → Developer tools → Code injection → Header. If your plan lacks it, use the DNS record.',
  },
  { name: 'Wix', place: 'meta_tag', how: 'Settings → Custom code → Add custom code → Head, on all pages.' },
  {
    name: 'Shopify',
    place: 'meta_tag',
    how: 'Online store → Themes → Edit code → theme.liquid, on the line after <head>.',
  },
  {
    name: 'GitHub Pages',
    place: 'meta_tag',
    how: 'Commit it in the head of index.html. With Jekyll, it belongs into _includes/head-custom.html.',
  },
  { name: 'Cloudflare', place: 'dns_txt', how: 'DNS → Records → Add record. Type TXT, name _placard-challenge.' },
]
