import {
  giveUpLostKeys,
  isReplaced,
  type KeySettings,
  requireServiceKeys,
} from '../../domain/ownership/service-keys/recorded-keys.ts'
import { keyFile, keyText, newKey, replaceKeyFile } from '../../domain/ownership/service-keys/service-keys.ts'
import type { Store } from '../../platform/db/store.ts'
import { type Command, type OptionValues, printResult } from './command.ts'
import { withStore } from './with-store.ts'

export const changeKey: Command = {
  name: 'change-key',
  usage: '[--lost]',
  does: 'add a new service key in front of the old ones; --lost: continue without lost keys',
  options: ['lost'],
  run: values => withStore((store, config) => addKey(store, config, values), { anyKey: true }),
}

/**
 * Adds a new key in front of the current ones: in the key file, or on the screen if `SERVICE_KEY` is set.
 * With `--lost`, Placard continues without keys that are lost.
 */
async function addKey(store: Store, settings: KeySettings, values: OptionValues): Promise<void> {
  const { lost: isLost = false } = values
  // A write transaction, so that two commands at once never drop each other's key.
  const { keys, canWait } = await store.transact(async trx => {
    const present = isLost ? await giveUpLostKeys(trx, settings, Date.now()) : await requireServiceKeys(trx, settings)
    const all = [newKey(), ...present]
    if (!settings.serviceKeys) replaceKeyFile(keyFile(settings), all)
    return { keys: all, canWait: present[0] !== undefined && !(await isReplaced(trx, present[0])) }
  })
  const file = keyFile(settings)
  const texts = keys.map(keyText)
  const result = { keys: keys.length, ...(settings.serviceKeys ? { serviceKey: texts.join(',') } : { file }) }
  printResult(values, result, settings.serviceKeys ? setByHand(texts, canWait) : written(file, keys.length))
  if (isLost && !values.json) {
    console.log(
      `\nPlacard now starts without the lost keys. Until you restart every instance, those with a lost key publish nothing.\nPrivate links already given out still work. A replay of a submission from that time cannot recover\nits link. If you find a lost key, add it last: its links can then be recovered.`,
    )
  }
}

const written = (file: string, count: number) =>
  `${file} now starts with a new key; keys in it: ${count}. Restart the service to use it, and back up the file.\nKeep every line: each key recovers the private links made with it.`

/** @param canWait whether the new key can come second at first: the one before it is the latest that signed */
const setByHand = (
  [newest, ...older]: string[],
  canWait: boolean,
) => `Set this and restart the service. Keep every key: each recovers the private links made with it.

SERVICE_KEY=${[newest, ...older].join(',')}
${
  canWait
    ? `
With several instances, first restart each with the new key behind the current one, then with the value above:

SERVICE_KEY=${[older[0], newest, ...older.slice(1)].join(',')}
`
    : ''
}`
