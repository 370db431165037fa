import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Destination } from '../../domain/destinations/destination.ts'
import {
  type CheckSiteProof,
  type ProofOutcome,
  type RunningProof,
  type SiteProofs,
  tokenMatcher,
} from '../../domain/ownership/site-proof.ts'
import { clientNetworks } from '../../platform/http/client-address.ts'
import type { Links } from '../../platform/http/links.ts'
import { giveCookie, PROOF, sentCookie } from './cookies.ts'

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
