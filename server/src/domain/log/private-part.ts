import { hash, randomBytes } from 'node:crypto'
import type { LogEntry } from '@placard/contract/log'
import type { Decision } from '../decisions/record.ts'

/** A decision with what its entry is made of. */
export interface LoggedDecision extends Decision {
  /** The address of its listing; null if it is about none. */
  url: string | null
}

const SALT_BYTES = 16

/** Returns a salt for one entry, as hex. Without it, no one can guess private texts and compare them with the entry. */
export const newSalt = (): string => randomBytes(SALT_BYTES).toString('hex')

/**
 * Returns the private text of a decision, which only those it concerns may read. Its facts are included by their own
 * hash, so they can be deleted.
 */
export function privateText(decision: LoggedDecision): string {
  const { about, actor, at, factsHash, ground, id, kind, listingId, reason, reportId, requestId, url } = decision
  const text = { about, actor, at, factsHash, ground, id, kind, listingId, reason, reportId, requestId }
  return JSON.stringify(kind === 'accept' ? { ...text, url } : text)
}

/** Returns what an entry says of a private text: a hash that reveals nothing without the salt. */
const commitmentOf = (salt: string, text: string): string =>
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
    private: commitmentOf(salt, privateText(decision)),
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
