import { hash, randomBytes } from 'node:crypto'
import type { LogEntry } from '@placard/contract/log'
import { type Decision, operatorNamed, operatorOf } from '../decisions/record.ts'

/** A decision with what its entry is made of. */
export interface LoggedDecision extends Decision {
  /** The address of its listing; null if it is about none. */
  url: string | null
}

const SALT_BYTES = 16

/**
 * Returns the two salts of one entry, as hex. Without the first, no one can guess private texts and compare them with
 * the entry. The second stays in the database, so that readers of the text cannot guess the names of operators.
 */
export const newSalt = (): string => randomBytes(2 * SALT_BYTES).toString('hex')

/** Returns the salt that opens the private text. */
export const openingSalt = (salt: string): string => salt.slice(0, 2 * SALT_BYTES)

/**
 * Returns the private text of a decision, which only those it concerns may read. Its facts are included by their own
 * hash, so they can be deleted. The name of an operator is a hash, too: it is for other operators only.
 */
export function privateText(decision: LoggedDecision & { salt: string }): string {
  const { about, at, factsHash, ground, id, kind, listingId, reason, reportId, requestId, url, salt } = decision
  const name = operatorOf(decision.actor)
  const actor = name === undefined ? decision.actor : operatorNamed(saltedHash(salt.slice(2 * SALT_BYTES), name))
  const text = { about, actor, at, factsHash, ground, id, kind, listingId, reason, reportId, requestId }
  return JSON.stringify(kind === 'accept' ? { ...text, url } : text)
}

/** @param salt hex */
const saltedHash = (salt: string, text: string): string =>
  hash('sha256', Buffer.concat([Buffer.from(salt, 'hex'), Buffer.from(text)]), 'base64')

/** Returns the entry of a decision. Of most kinds, it says only that something was decided. */
export function entryOfDecision(
  decision: LoggedDecision & { salt: string },
  place: Pick<LogEntry, 'index' | 'notBefore'>,
): LogEntry {
  const kind = publicKind(decision)
  const { at, listingId, salt } = decision
  const isPublic = kind !== undefined && listingId !== null
  return {
    ...place,
    time: new Date(at).toISOString(),
    kind: isPublic ? kind : 'decided',
    ...(isPublic && { listing: listingId }),
    private: saltedHash(openingSalt(salt), privateText(decision)),
  }
}

/** Undefined if even its kind is private, as that of a report. */
function publicKind({ kind, reason, actor }: Decision): string | undefined {
  switch (kind) {
    case 'accept':
      return 'listed'
    case 'hide':
      return actor === 'owner' ? 'withdrawn' : 'hidden'
    case 'restore':
      return 'restored'
    case 'term':
      return reason === 'ended' ? 'ended' : undefined
    case 'prove':
      return 'verified'
    case 'renew':
      return 'claimed'
    default:
      return undefined
  }
}
