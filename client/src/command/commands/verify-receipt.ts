import { readFile } from 'node:fs/promises'
import { asWritten } from '@placard/contract/log'
import { messageOf } from '../../error.ts'
import { isRoot } from '../../log/compare-draw.ts'
import { Disagreement } from '../../log/disagreement.ts'
import { findKeptKeys } from '../../log/kept-log.ts'
import { type ReadReceipt, readReceipt, type VerifiedReceipt, verifyReceipt } from '../../log/receipt.ts'
import { advanceToWitnesses } from '../../log/verify-board.ts'
import type { Context, Result } from '../context.ts'
import { givenKeys, openLog, waitsOf } from '../open-log.ts'
import { wrongUsage } from '../read-arguments.ts'
import { signatureText } from './verify-board.ts'

/**
 * Verifies a proof file. Offline, if the key of the log is known from an earlier run or given. With `--service`, also
 * that the log of the service still has what the file proves.
 */
export async function verifyTheReceipt(context: Context, path: string): Promise<Result> {
  const text = await readFile(path, 'utf8').catch(error => {
    throw wrongUsage(`The file ${path} cannot be read: ${messageOf(error)}.`)
  })
  try {
    const receipt = readReceipt(asWritten(text))
    const { keys, witnesses } = givenKeys(context)
    const known = [...keys, ...(await keysFor(context, receipt))]
    if (known.length === 0) throw keyNeeded(receipt)
    const verified = verifyReceipt(receipt, { keys: known, witnesses })
    return { text: textOf(verified), json: jsonOf(verified) }
  } catch (error) {
    if (!(error instanceof Disagreement)) throw error
    const { kind, sentence } = error
    const differences = [{ kind, sentence }]
    return {
      text: ['The proof does not agree.', '', `  NO   ${sentence}`],
      json: { agrees: false, differences },
      exitCode: 1,
    }
  }
}

/** Returns the keys of the log: those of the service, whose log must have the checkpoint, or those of earlier runs. */
async function keysFor(context: Context, { checkpoint }: ReadReceipt): Promise<readonly string[]> {
  if (!context.has('service')) return findKeptKeys(context.store().name, checkpoint.origin)
  const { log, files, keep } = await openLog(context, context.client(context.service()))
  await advanceToWitnesses(log, waitsOf(context), async () => log.checkpoint.size < checkpoint.size || undefined)
  await keep()
  if (!(await isRoot(checkpoint.root.toString('hex'), checkpoint.size, log, files))) {
    const sentence = `The log of the service no longer has the ${checkpoint.size} entries of this proof.`
    throw new Disagreement('log_rewritten', sentence)
  }
  return log.kept().keys
}

const keyNeeded = ({ checkpoint }: ReadReceipt) =>
  wrongUsage(
    `No key of the log ${checkpoint.origin} is known. Give it with --key VKEY, or name the site with --service.`,
  )

const jsonOf = ({ checkpoint, ...verified }: VerifiedReceipt) => ({
  agrees: true,
  ...verified,
  checkpoint: { ...checkpoint, root: checkpoint.root.toString('base64') },
})

function textOf({ entry, private: opened, checkpoint, signatures }: VerifiedReceipt): string[] {
  const { index, time, kind, board, listing, totalCents } = entry
  const facts = { kind: opened?.kind ?? kind, listing, board, 'total, in cents': totalCents, website: opened?.url }
  return [
    `The proof agrees: ${checkpoint.origin} has this as entry ${index}, dated ${time}.`,
    '',
    ...Object.entries(facts).flatMap(([name, value]) =>
      value === undefined ? [] : [`  ${name.padEnd(15)}  ${value}`],
    ),
    '',
    ...signatures.map(signature => `  yes  ${signatureText(signature)}`),
  ]
}
