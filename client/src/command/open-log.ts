import { parseVerifierKey } from '@placard/contract/log'
import type { PlacardClient } from '../client.ts'
import { messageOf } from '../error.ts'
import { FollowedLog, type GivenKeys } from '../log/follow.ts'
import { keptLogPath, readKeptLog, writeKeptLog } from '../log/kept-log.ts'
import { LogFiles } from '../log/log-files.ts'
import { waitsWithin } from '../log/verify-board.ts'
import { serviceAddress } from '../service/address.ts'
import type { Context } from './context.ts'
import type { OptionName } from './options.ts'
import { wholeNumber, wrongUsage } from './read-arguments.ts'

/** Returns the log of the service as it was left, and what keeps it for the next run. */
export async function openLog(context: Context, client: PlacardClient) {
  const path = keptLogPath(context.store().name, serviceAddress(context.service()))
  const kept = await readKeptLog(path)
  const files = new LogFiles(client)
  const log = new FollowedLog(files, givenKeys(context), kept)
  const keep = async () => {
    const own = log.kept()
    const now = await readKeptLog(path)
    // Another run may have stored more since. If the log has another name there, that run saw it recover.
    const isBehind = now && (now.origin !== own.origin || now.replay.size > own.replay.size)
    if (!isBehind || now.note === kept?.note) await writeKeptLog(path, own)
  }
  return { log, files, sizeBefore: kept?.replay.size, path, keep }
}

/** Returns the keys of `--key` and `--witness`. Throws a usage error. */
export function givenKeys(context: Context): GivenKeys {
  const keys = keysOf(context, 'key')
  const witnesses = keysOf(context, 'witness')
  if (keys.some(isWitness)) throw wrongUsage('--key has the key of a witness: use --witness for it.')
  return { keys, witnesses }
}

const isWitness = (vkey: string) => parseVerifierKey(vkey).isWitness

function keysOf(context: Context, option: OptionName & ('key' | 'witness')): string[] {
  const vkeys = context.value(option)?.split(',') ?? []
  for (const vkey of vkeys) {
    try {
      parseVerifierKey(vkey)
    } catch (error) {
      throw wrongUsage(`--${option}: ${messageOf(error)}`)
    }
  }
  return vkeys
}

/** Returns how long to wait before each further comparison of what disagrees, as `--wait` allows. */
export function waitsOf(context: Context): number[] {
  const wait = context.value('wait')
  return wait === undefined ? waitsWithin() : waitsWithin(wholeNumber('--wait', wait, 'seconds') * 1000)
}
