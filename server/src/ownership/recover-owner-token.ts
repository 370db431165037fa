import type { ServiceKeys } from '../keys/service-keys.ts'
import type { Secret } from '../secret.ts'
import type { Db } from '../storage/store.ts'
import { deriveOwnerToken, type LinkIdentity, matchesHash } from './owner-token.ts'

/**
 * The token of the present private link, for whoever brings the submission secret again. It is never given unchecked: one
 * that does not have the stored hash opens nothing.
 *
 * @returns undefined where none of the keys at hand gives it
 */
export async function recoverOwnerToken(
  db: Db,
  serviceKeys: ServiceKeys,
  link: LinkIdentity & { ownerTokenHash: string },
  submissionSecret: Secret,
): Promise<Secret | undefined> {
  const renewedWith = link.linkVersion > 1 ? await keysOfRenewals(db, serviceKeys, link.claimId) : undefined
  for (const { secret } of serviceKeys.all) {
    const token = deriveOwnerToken(submissionSecret, secret, link, renewedWith)
    if (matchesHash(token, link.ownerTokenHash)) return token
  }
  return undefined
}

/** By version, as far as they are at hand. Before they were recorded, the first key of a link was the only one. */
async function keysOfRenewals(
  db: Db,
  serviceKeys: ServiceKeys,
  claimId: string,
): Promise<Map<number, Secret>> {
  const renewals = await db.selectFrom('renewed_link').selectAll().where('claimId', '=', claimId).execute()
  return new Map(
    renewals.flatMap(renewal => {
      const key = serviceKeys.withCheckValue(renewal.keyCheckValue)
      return key ? [[renewal.linkVersion, key]] : []
    }),
  )
}
