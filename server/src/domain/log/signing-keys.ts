import { cosignerOf, signerOf } from '@placard/contract/log'
import type { Config } from '../../platform/config/config.ts'
import { SIGNING_KEYS_MAX } from '../../platform/config/outside-services.ts'
import type { Secret } from '../../platform/lib/secret.ts'

/** The name of this site's log and of its keys, until a break gives it another. @param base origin of the site */
export const firstOrigin = (base: string): string => `${new URL(base).host}/log`

/** The name under which this site cosigns the logs of others. */
export const witnessName = (base: string): string => `${new URL(base).host}/witness`

/**
 * Returns the seeds of the keys that sign, newest first: those of `SIGNING_KEY`, or derived from the service keys, so
 * that no further secret can be lost.
 */
export function signingSeeds(
  { signingKeys }: Pick<Config['log'], 'signingKeys'>,
  serviceKeys: readonly Secret[],
): Secret[] {
  if (signingKeys) return signingKeys
  return serviceKeys.slice(0, SIGNING_KEYS_MAX).map(key => key.derive('placard log signing key'))
}

/** Returns the signers of the log, newest first. All of them sign, so that readers can move from one key to the next. */
export const logSigners = (seeds: readonly Secret[], origin: string) =>
  seeds.map(seed => signerOf(origin, seed.reveal()))

/** Returns the cosigners of other logs. A key must not be used for both, so these are derived. */
export const logCosigners = (seeds: readonly Secret[], name: string) =>
  seeds.map(seed => cosignerOf(name, seed.derive('placard witness key').reveal()))

/** Returns what the first entry of a log says of it: its name, and the newest key that signs it. */
export function firstKey(seeds: readonly Secret[], base: string): { origin: string; vkey: string } {
  const origin = firstOrigin(base)
  return { origin, vkey: logSigners(seeds, origin)[0]?.vkey ?? '' }
}
