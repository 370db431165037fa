import { readFileSync } from 'node:fs'
import { verifyLog } from '../../domain/log/verify.ts'
import { storeCommand, UsageError } from './command.ts'

export const audit = storeCommand({
  name: 'audit',
  usage: 'verify [--checkpoint FILE]',
  does: 'check the log, and that boards, draws and decisions agree with it; --checkpoint: an earlier /log/checkpoint that it must contain',
  words: 1,
  options: ['checkpoint'],
  read({ checkpoint }, word) {
    if (word !== 'verify') throw new UsageError('audit needs the word "verify"')
    return checkpoint === undefined ? undefined : readNote(checkpoint)
  },
  async act(store, note) {
    const { entries, root, fault } = await verifyLog(store, Date.now(), note)
    const count = `${entries} ${entries === 1 ? 'entry' : 'entries'}`
    const hash = root.toString('base64')
    if (fault === undefined) return [{ ok: true, entries, root: hash }, `${count}, log whole, root ${hash}`]
    process.exitCode = 1
    return [{ ok: false, entries, fault }, `${count} proved, then: ${fault}`]
  },
})

function readNote(file: string): string {
  try {
    // Mail may have changed the ends of its lines.
    return `${readFileSync(file, 'utf8').replaceAll('\r', '').trim()}\n`
  } catch (cause) {
    throw new Error(`the checkpoint ${file} cannot be read: ${(cause as Error).message}`, { cause })
  }
}
