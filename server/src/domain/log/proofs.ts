import { proveInclusion, splitNote, writeExtra, writeProof } from '@placard/contract/log'
import type { Store } from '../../platform/db/store.ts'
import { Problem } from '../../platform/http/problem.ts'
import { openingSalt, privateText } from './private-part.ts'
import { logTree } from './tree-of-store.ts'

export const PROOF_MEDIA_TYPE = 'text/plain; charset=utf-8'

/** The longest proof, unless its own parts are longer. */
const PROOF_MAX_BYTES = 2048

/** A row gets a checkpoint within two seconds. */
const RETRY_SECONDS = 2

/** What opens the private part of an entry. Only for those it concerns. */
interface PrivatePart {
  /** Hex. */
  salt: string
  private: string
}

/**
 * Returns the proof that the latest checkpoint covers a row, as a C2SP `tlog-proof`. With its entry in `extra`, it needs
 * nothing else to be checked but the key of the log.
 *
 * @throws Problem not_found, or not_ready until a checkpoint covers the row
 */
export async function proofOfRow(store: Store, index: number, opened?: PrivatePart): Promise<string> {
  const tree = logTree(store)
  const entry = await tree.entry(index)
  if (entry === undefined) throw new Problem('not_found', { message: 'The log has no such row yet.' })
  const checkpoint = await store.db.selectFrom('log_checkpoint').select(['size', 'note']).executeTakeFirst()
  const size = checkpoint?.size ?? 0
  if (!checkpoint || index >= size) throw notSigned()
  const hashes = await proveInclusion(index, size, tree.readTile)
  const extra = writeExtra({ entry, ...opened })
  return fitting(checkpoint.note, note => writeProof({ index, hashes, extra, checkpoint: note }))
}

/** Leaves out cosignatures, last first, until the proof fits. Those of the log stay. */
function fitting(note: string, write: (note: string) => string): string {
  const { text, lines } = splitNote(note)
  const [origin] = text.split('\n')
  const kept = lines.map(({ name, line }) => ({ name, line }))
  for (;;) {
    const proof = write(`${text}\n${kept.map(({ line }) => line).join('')}`)
    const last = kept.findLastIndex(({ name }) => name !== origin)
    if (last < 0 || Buffer.byteLength(proof) <= PROOF_MAX_BYTES) return proof
    kept.splice(last, 1)
  }
}

/**
 * Returns the proof of a decision, with its private part. The caller has checked that it concerns the reader.
 *
 * @throws Problem not_found, or not_ready until a checkpoint covers it
 */
export async function proofOfDecision(store: Store, id: string): Promise<string> {
  const decision = await store.db
    .selectFrom('decision')
    .leftJoin('listing', 'listing.id', 'decision.listingId')
    .selectAll('decision')
    .select('listing.url')
    .where('decision.id', '=', id)
    .executeTakeFirst()
  if (!decision) throw new Problem('not_found')
  const { position, salt } = decision
  if (position === null) throw notSigned()
  const opened = salt === null ? undefined : { salt: openingSalt(salt), private: privateText({ ...decision, salt }) }
  return proofOfRow(store, position, opened)
}

const notSigned = () =>
  new Problem('not_ready', {
    message: 'No signed checkpoint of the log covers this yet. Repeat the request after retryAfterSeconds.',
    retryAfterSeconds: RETRY_SECONDS,
  })
