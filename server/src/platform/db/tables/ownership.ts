import { type TablePolicies, WITH_ITS_LISTING } from './retention.ts'

/** The private links of listings. */
export interface OwnershipTables {
  claim: ClaimTable
  renewed_link: RenewedLinkTable
}

/** The owner of a listing: the person with the owner token. Only a hash of the token is stored. */
interface ClaimTable {
  /** Random UUID, part of the private link. */
  id: string
  listingId: number
  requestId: string
  /** The approval evidence: what the agent declared, when, and for which destination as it was sent. */
  approvalScope: string
  rulesVersion: string
  approvedAt: number
  destinationAsSent: string
  /** Counts renewals of the private link; part of the token's derivation. */
  linkVersion: number
  ownerTokenHash: string
}

/** One renewal of a private link, and the service key with which the new link was derived. */
interface RenewedLinkTable {
  claimId: string
  linkVersion: number
  keyCheckValue: string
  /** Random, if an operator reissued the link: the new link is derived from this instead of the link before. */
  nonce: string | null
}

/** Retention and export of these tables. */
export const ownershipPolicies: TablePolicies<OwnershipTables> = {
  claim: {
    isExported: true,
    retention: [
      {
        what: 'The approval of a listing, and the hash of its private link',
        kept: WITH_ITS_LISTING,
        why: 'The private link needs it.',
      },
    ],
  },
  renewed_link: {
    isExported: true,
    retention: [
      {
        what: 'A renewal of a private link',
        kept: WITH_ITS_LISTING,
        why: 'A replay needs it to return the current link.',
      },
    ],
  },
}
