import type { ServiceKeys } from '../keys/service-keys.ts'
import type { Secret } from '../secret.ts'
import type { Db } from '../storage/store.ts'
import { deriveOwnerToken, type LinkIdentity, matchesHash, type Renewal } from './owner-token.ts'

/**
 * The current private link's token, recovered from the submission secret. Always checked against the stored hash, since
 * any other token opens nothing.
 *
 * @returns undefined if none of the available keys recovers it
 */
export async function recoverOwnerToken(
  db: Db,
  serviceKeys: ServiceKeys,
  link: LinkIdentity & { ownerTokenHash: string },
  submissionSecret: Secret,
): Promise<Secret | undefined> {
  const renewals = link.linkVersion > 1 ? await renewalsOf(db, serviceKeys, link.claimId) : undefined
  for (const { secret } of serviceKeys.all) {
    const token = deriveOwnerToken(submissionSecret, secret, link, renewals)
    if (matchesHash(token, link.ownerTokenHash)) return token
  }
  return undefined
}

/** By version. Before keys were recorded, a link only ever had its first one. */
async function renewalsOf(db: Db, serviceKeys: ServiceKeys, claimId: string): Promise<Map<number, Renewal>> {
  const renewals = await db.selectFrom('renewed_link').selectAll().where('claimId', '=', claimId).execute()
  return new Map(
    renewals.map(({ linkVersion, keyCheckValue, nonce }) => [
      linkVersion,
      { key: serviceKeys.withCheckValue(keyCheckValue), nonce },
    ]),
  )
}
