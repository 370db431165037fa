import { hash } from 'node:crypto'
import {
  type Checkpoint,
  isIncluded,
  type LogEntry,
  leafHash,
  type NoteSignature,
  openNote,
  parseCheckpoint,
  parseEntry,
  parseExtra,
  parseProof,
  splitNote,
} from '@placard/contract/log'
import { Disagreement, orDisagree } from './disagreement.ts'

/** The content of a verified proof file. */
export interface VerifiedReceipt {
  entry: LogEntry
  /** What the entry's hash commits to: the decision, with the address of an accepted listing. */
  private?: Record<string, unknown>
  checkpoint: Checkpoint
  signatures: NoteSignature[]
}

/** The content of a proof file that is not verified. */
export interface ReadReceipt {
  index: number
  hashes: readonly Buffer[]
  note: string
  checkpoint: Checkpoint
  entryText: string
  salt: string | undefined
  privateText: string | undefined
}

/** Reads a proof file. Throws a disagreement if it is malformed. */
export function readReceipt(text: string): ReadReceipt {
  return orDisagree('proof_malformed', () => {
    const { index, hashes, extra, checkpoint: note } = parseProof(text)
    const { entry: entryText, salt, private: privateText } = parseExtra(extra ?? Buffer.alloc(0))
    const checkpoint = parseCheckpoint(splitNote(note).text)
    return { index, hashes, note, checkpoint, entryText, salt, privateText }
  })
}

/**
 * Verifies a proof file offline: that a key of the log signed the checkpoint, that the checkpoint covers the entry, and
 * that the entry is about what the file says. Throws a disagreement.
 */
export function verifyReceipt(
  { index, hashes, note, checkpoint, entryText, salt, privateText }: ReadReceipt,
  { keys, witnesses }: { keys: readonly string[]; witnesses: readonly string[] },
): VerifiedReceipt {
  const { signatures } = orDisagree('signature_wrong', () => openNote(note, [...keys, ...witnesses]))
  if (!signatures.some(({ vkey }) => keys.includes(vkey))) {
    throw new Disagreement('signature_missing', 'No key of the log that you trust signed the checkpoint of this proof.')
  }
  const missing = witnesses.find(vkey => !signatures.some(signature => signature.vkey === vkey))
  if (missing !== undefined) {
    const sentence = `The witness ${missing.split('+')[0]} has not cosigned the checkpoint of this proof.`
    throw new Disagreement('witness_missing', sentence)
  }
  const { size, root } = checkpoint
  if (!isIncluded({ leaf: leafHash(entryText), index, size, root, proof: hashes })) {
    throw new Disagreement('proof_wrong', `The checkpoint does not cover what this file gives as entry ${index}.`)
  }
  const entry = orDisagree('entry_wrong', () => parseEntry(entryText, `Entry ${index} of the log`))
  if (entry.index !== index) {
    throw new Disagreement('entry_wrong', `Entry ${index} of the log says that it is entry ${entry.index}.`)
  }
  return { entry, ...openPrivatePart(entry, salt, privateText), checkpoint, signatures }
}

function openPrivatePart(entry: LogEntry, salt = '', privateText?: string) {
  if (privateText === undefined) return {}
  const commitment = hash('sha256', Buffer.concat([Buffer.from(salt, 'hex'), Buffer.from(privateText)]), 'base64')
  if (commitment !== entry.private) {
    throw new Disagreement('private_part_wrong', `The private part in this file is not that of entry ${entry.index}.`)
  }
  const opened: Record<string, unknown> = orDisagree('private_part_wrong', () => Object(JSON.parse(privateText)))
  // The service chose both texts, so they may say different things about one decision.
  const isSame = opened.at === Date.parse(entry.time) && [undefined, opened.listingId].includes(entry.listing)
  if (isSame) return { private: opened }
  const sentence = `The private part of entry ${entry.index} is of another time or listing than the entry itself.`
  throw new Disagreement('private_part_wrong', sentence)
}
