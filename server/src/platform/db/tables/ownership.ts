import { type Generated, sql } from 'kysely'
import { forDays, type TablePolicies, WITH_ITS_LISTING } from './retention.ts'

/** The private links of listings, and the owners who proved their website. */
export interface OwnershipTables {
  /** The owner of a listing: the person with the owner token. Only a hash of the token is stored. */
  claim: {
    /** Random UUID, part of the private link. */
    id: string
    listingId: number
    /** The submission; null if a payment listed the website, and its owner claimed the listing. */
    requestId: string | null
    /**
     * The approval evidence: what the agent declared or `OWNER_PROOF`, when, and for which destination as it was sent.
     */
    approvalScope: string
    rulesVersion: string
    approvedAt: number
    destinationAsSent: string
    /** Where the customer approved, if not only the agent said so. */
    approval: Generated<'browser' | null>
    /** Counts renewals of the private link; part of the token's derivation. */
    linkVersion: number
    ownerTokenHash: string
  }
  /** One renewal of a private link, and the service key with which the new link was derived. */
  renewed_link: {
    claimId: string
    linkVersion: number
    keyCheckValue: string
    /** Random, if an operator reissued the link: the new link is derived from this instead of the link before. */
    nonce: string | null
    /**
     * 1 if a proof of the website gave this link, also through an operator who decided. A replay recovers neither this
     * link nor later ones.
     */
    byProof: Generated<number>
  }
  /** The proven owner of a listing's website. */
  site_owner: FoundProof & {
    checkAt: number
    /** The first check that did not find it, since the last one that did. */
    missingSince: number | null
    /** 1 once the owner was notified that it is missing. */
    missingTold: Generated<number>
  }
  /** Another person who proved the website of a listing with a proven owner. At most one waits. */
  waiting_owner: FoundProof & {
    /** From this time on, they can become the owner. */
    effectiveAt: number
    /** When the present owner proved the website again. From then on, the operator decides. */
    contestedAt: number | null
  }
}

/** The approval of a person who proved the website: to list it without an agent, or to claim a paid listing. */
export const OWNER_PROOF = 'owner_proof' as const

/** Where a browser's token was found on a website. */
interface FoundProof {
  listingId: number
  place: 'well_known' | 'meta_tag' | 'dns_txt'
  /** SHA-256 of the token. */
  tokenHash: string
  provenAt: number
}

/** The lifetime of a token: `domain/ownership/site-proof.ts`. */
const TOKEN_DAYS = 11

export const ownershipPolicies: TablePolicies<OwnershipTables> = {
  claim: {
    isExported: true,
    what: 'The approval of a listing, and the hash of its private link',
    kept: WITH_ITS_LISTING,
    why: 'The private link needs it.',
  },
  renewed_link: {
    isExported: true,
    what: 'A renewal of a private link',
    kept: WITH_ITS_LISTING,
    why: 'A replay needs it to return the current link.',
  },
  site_owner: {
    isExported: true,
    what: 'Where and when the owner of a listed website proved that it is theirs, and the hash of the token found there',
    kept: WITH_ITS_LISTING,
    why: 'The listing shows that its owner is verified, and we check again whether the proof is still there.',
  },
  waiting_owner: {
    isExported: true,
    what: 'Where and when another person proved the website later, and the hash of their token',
    kept: `until they are the owner, the operator has decided, or ${forDays(TOKEN_DAYS, 'after that proof')}`,
    why: 'The present owner has three days to prove the website again. Later, the token of the other person expires.',
    end: {
      days: TOKEN_DAYS,
      key: ['listingId'],
      where: before => sql`"contestedAt" is null and "provenAt" < ${before}`,
      // There are never many.
      order: sql`"listingId"`,
    },
  },
}
