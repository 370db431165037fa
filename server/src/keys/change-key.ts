import type { Store } from '../storage/store.ts'
import { keyFile, keyText, newKey, replaceKeyFile } from './file.ts'
import { giveUpLostKeys, type KeySettings, requireServiceKeys } from './recorded-keys.ts'

/**
 * Puts a new key before the present ones: in the key file, or, where `SERVICE_KEY` is set, on the screen.
 *
 * @param isLost to go on without keys that nobody has any more
 */
export async function changeKey(store: Store, settings: KeySettings, isLost: boolean): Promise<void> {
  // In the line of all writers, so that of two commands at once none drops the other's key.
  const keys = await store.transact(async trx => {
    const present = isLost
      ? await giveUpLostKeys(trx, settings, Date.now())
      : await requireServiceKeys(trx, settings)
    const all = [newKey(), ...present]
    if (!settings.serviceKeys) replaceKeyFile(keyFile(settings), all)
    return all
  })
  console.log(settings.serviceKeys ? setByHand(keys.map(keyText)) : written(keyFile(settings), keys.length))
  if (isLost) {
    console.log(
      `\nThe service starts without the keys that are not there. Private links that were handed out go on working; those of\nthat time cannot be given again by repeating a submission. If a key is found, add it last, and they can.`,
    )
  }
}

const written = (file: string, count: number) =>
  `${file} begins with a new key now; keys in it: ${count}. Restart the service to use it, and back the file up.\nKeep every line: each gives the private links of its time again.`

const setByHand = ([
  newest,
  ...older
]: string[]) => `Set this and restart the service. Keep every key: each gives the private links of its time again.

SERVICE_KEY=${[newest, ...older].join(',')}
${
  older.length === 0
    ? ''
    : `
With several instances, first restart each of them with the new key behind the one in use, and then with the above:

SERVICE_KEY=${[older[0], newest, ...older.slice(1)].join(',')}
`
}`
