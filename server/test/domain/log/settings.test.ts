import { randomBytes } from 'node:crypto'
import { cosignerOf, signerOf } from '@placard/contract/log'
import { describe, expect, it } from 'vitest'
import {
  firstOrigin,
  logCosigners,
  logSigners,
  signingSeeds,
  witnessName,
} from '../../../src/domain/log/signing-keys.ts'
import { configFrom } from '../../../src/platform/config/config.ts'
import type { Env } from '../../../src/platform/config/settings.ts'
import { Secret } from '../../../src/platform/lib/secret.ts'

const seed = randomBytes(32)
const hex = (nth: number) => String(nth).padStart(64, '0')
const log = signerOf('log.example/log', seed)
const witness = cosignerOf('witness.example/one', seed)

describe('the settings of the log', () => {
  const logOf = (env: Env) => configFrom(env).log

  it('are off by default', () => {
    expect(logOf({})).toEqual({ signingKeys: undefined, witnesses: [], witnessFor: [] })
  })

  it('name several keys, witnesses and logs', () => {
    const found = logOf({
      SIGNING_KEY: `${hex(1)},${hex(2)}`,
      WITNESSES: `${witness.vkey} https://witness.example/, ${witness.vkey}   http://10.0.0.1:8080/a`,
      WITNESS_FOR: `${log.vkey},${log.vkey}`,
    })
    expect(found.signingKeys?.map(key => key.reveal().toString('hex'))).toEqual([hex(1), hex(2)])
    expect(found.witnesses).toEqual([
      { vkey: witness.vkey, url: 'https://witness.example' },
      { vkey: witness.vkey, url: 'http://10.0.0.1:8080/a' },
    ])
    expect(found.witnessFor).toEqual([log.vkey, log.vkey])
  })

  it.each([
    ['SIGNING_KEY', 'abc', /^SIGNING_KEY must be 32 bytes in hex/],
    ['SIGNING_KEY', [1, 2, 3, 4, 5].map(hex).join(), /^SIGNING_KEY must be a list of at most 4, not 5$/],
    ['WITNESSES', witness.vkey, /^WITNESSES must be a list of verifier keys, each with a space and the address/],
    ['WITNESSES', `${witness.vkey} ftp://witness.example`, /^WITNESSES must be an http or https address$/],
    ['WITNESSES', `${witness.vkey} https://a:b@witness.example`, /^WITNESSES must not contain a user or password$/],
    ['WITNESSES', `${log.vkey} https://witness.example`, /^WITNESSES must have keys that cosign checkpoints/],
    [
      'WITNESSES',
      `${witness.vkey.replace('one', 'two')} https://w.example`,
      /^WITNESSES must have valid .* its id does not fit/,
    ],
    ['WITNESSES', Array(9).fill(`${witness.vkey} https://a.example`).join(), /^WITNESSES must be a list of at most 8/],
    ['WITNESS_FOR', witness.vkey, /^WITNESS_FOR must have keys that sign checkpoints/],
    ['WITNESS_FOR', 'nothing', /^WITNESS_FOR must have valid .*is not a verifier key/],
  ] as const)('%s refuses %s', (name, value, line) => {
    expect(() => configFrom({ [name]: value })).toThrow(line)
  })
})

describe('the keys of the log', () => {
  const serviceKeys = Array.from({ length: 6 }, () => new Secret(randomBytes(32)))

  it('are those of SIGNING_KEY, or derived from the four newest service keys', () => {
    const given = [new Secret(seed)]
    expect(signingSeeds({ signingKeys: given }, serviceKeys)).toBe(given)
    const derived = signingSeeds({ signingKeys: undefined }, serviceKeys)
    expect(derived).toHaveLength(4)
    expect(signingSeeds({ signingKeys: undefined }, serviceKeys)).toEqual(derived)
    const secrets = [...serviceKeys, ...derived].map(each => each.reveal().toString('hex'))
    expect(new Set(secrets).size).toBe(10)
  })

  it('are named after the site, and never both sign and cosign', () => {
    expect(firstOrigin('https://placard.example.org')).toBe('placard.example.org/log')
    expect(firstOrigin('http://127.0.0.1:8080')).toBe('127.0.0.1:8080/log')
    expect(witnessName('https://placard.example.org')).toBe('placard.example.org/witness')
    const seeds = signingSeeds({ signingKeys: undefined }, serviceKeys)
    const bytes = (vkey: string) =>
      Buffer.from(vkey.split('+').slice(2).join('+'), 'base64').subarray(1).toString('hex')
    const signers = logSigners(seeds, 'a.example/log').map(({ vkey }) => bytes(vkey))
    const cosigners = logCosigners(seeds, 'a.example/witness').map(({ vkey }) => bytes(vkey))
    expect(new Set([...signers, ...cosigners]).size).toBe(8)
  })
})
