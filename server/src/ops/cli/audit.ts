import { readFileSync } from 'node:fs'
import { verifyLog } from '../../domain/log/verify.ts'
import type { Store } from '../../platform/db/store.ts'
import { type Command, type Given, printResult, UsageError, withStore } from './command.ts'

export const audit: Command = {
  name: 'audit',
  usage: 'verify [--checkpoint FILE]',
  does: 'check the log, and that boards, draws and decisions agree with it; --checkpoint: an earlier /log/checkpoint that it must contain',
  words: 1,
  options: ['checkpoint'],
  async run(given, word) {
    if (word !== 'verify') throw new UsageError('audit needs the word "verify"')
    const note = given.checkpoint === undefined ? undefined : readNote(given.checkpoint)
    await withStore(store => auditLog(store, note, given))
  },
}

function readNote(file: string): string {
  try {
    // Mail may have changed the ends of its lines.
    return `${readFileSync(file, 'utf8').replaceAll('\r', '').trim()}\n`
  } catch (cause) {
    throw new Error(`the checkpoint ${file} cannot be read: ${(cause as Error).message}`, { cause })
  }
}

/**
 * Verifies the log and prints the result. The exit code is 1 if something was changed.
 *
 * @param note a checkpoint that was stored earlier
 */
async function auditLog(store: Store, note: string | undefined, given: Given): Promise<void> {
  const { entries, root, fault } = await verifyLog(store, Date.now(), note)
  const count = `${entries} ${entries === 1 ? 'entry' : 'entries'}`
  const isWhole = fault === undefined
  const hash = root.toString('base64')
  const text = isWhole ? `${count}, log whole, root ${hash}` : `${count} proved, then: ${fault}`
  printResult(given, { ok: isWhole, entries, ...(isWhole ? { root: hash } : { fault }) }, text)
  if (!isWhole) process.exitCode = 1
}
