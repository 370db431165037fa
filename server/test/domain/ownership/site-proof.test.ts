import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseDestination } from '../../../src/domain/destinations/destination.ts'
import { ServiceKeys } from '../../../src/domain/ownership/service-keys/service-keys.ts'
import {
  isToken,
  looksLikeToken,
  PROOF_LIFETIME_MS,
  proofPlaces,
  SiteProofs,
} from '../../../src/domain/ownership/site-proof.ts'
import { Secret } from '../../../src/platform/lib/secret.ts'
import { anyCharacter } from '../../support/characters.ts'
import { FIXED_KEYS, serviceKeys } from '../../support/keys.ts'

const proofs = new SiteProofs(FIXED_KEYS)
const ACME = '2:acme.com/shop'
const NOW = Date.UTC(2026, 10, 21, 12)
const tokenOf = (cookie: string | undefined, key = ACME, now = NOW) => proofs.token(cookie, key, now)?.token

describe('the token of a site proof', () => {
  it('stays the same for 24 hours, and ends', () => {
    const cookie = proofs.begin(NOW)
    const first = proofs.token(cookie, ACME, NOW)
    expect(first).toEqual({ token: expect.stringMatching(/^[\w-]{43}$/), until: NOW + PROOF_LIFETIME_MS })
    fc.assert(
      fc.property(fc.integer({ min: -PROOF_LIFETIME_MS, max: 2 * PROOF_LIFETIME_MS }), age => {
        const isRunning = age < PROOF_LIFETIME_MS
        expect(proofs.token(cookie, ACME, NOW + age)).toEqual(isRunning ? first : undefined)
      }),
    )
    expect(tokenOf(cookie, ACME, NOW + PROOF_LIFETIME_MS - 1)).toBe(first?.token)
    expect(tokenOf(cookie, ACME, NOW + PROOF_LIFETIME_MS)).toBeUndefined()
  })

  it('belongs to one browser', () => {
    const tokens = Array.from({ length: 100 }, () => tokenOf(proofs.begin(NOW)))
    expect(new Set(tokens).size).toBe(100)
  })

  it('belongs to one destination', () => {
    const cookie = proofs.begin(NOW)
    fc.assert(
      fc.property(fc.string(), fc.string(), (one, other) => {
        fc.pre(one !== other)
        expect(tokenOf(cookie, one)).not.toBe(tokenOf(cookie, other))
      }),
    )
  })

  it('does not exist if any of the cookie changes', () => {
    const cookie = proofs.begin(NOW)
    const change = fc.tuple(fc.nat({ max: cookie.length - 1 }), fc.string({ unit: anyCharacter, maxLength: 2 }))
    fc.assert(
      fc.property(change, ([at, by]) => {
        const changed = cookie.slice(0, at) + by + cookie.slice(at + 1)
        fc.pre(changed !== cookie)
        expect(tokenOf(changed)).toBeUndefined()
      }),
      { numRuns: 2_000 },
    )
  })

  it('does not exist for a browser that combines two cookies, or makes its own', () => {
    const [[nonce, , signature], [, until]] = [proofs.begin(NOW), proofs.begin(NOW + 1)].map(cookie =>
      cookie.split('.'),
    ) as [string[], string[]]
    expect(tokenOf(`${nonce}.${until}.${signature}`)).toBeUndefined()
    expect(tokenOf(`${NOW}.${'a'.repeat(22)}`)).toBeUndefined()
    expect(tokenOf(new SiteProofs(serviceKeys(new Secret(randomBytes(32)))).begin(NOW))).toBeUndefined()
  })

  it('comes of no other cookie', () => {
    for (const cookie of [
      undefined,
      '',
      '.',
      `${NOW}.`,
      `${'a'.repeat(22)}.`,
      `${'a'.repeat(22)}.${NOW + 1}`,
      `${'a'.repeat(22)}.${NOW + 1}.${'a'.repeat(43)}`,
    ]) {
      expect(tokenOf(cookie)).toBeUndefined()
    }
  })

  it('is recognised, and nothing else is', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.string(), (bytes, other) => {
        const token = Buffer.from(bytes).toString('base64url')
        fc.pre(other !== token)
        expect([looksLikeToken(token), isToken(token, token), isToken(other, token)]).toEqual([true, true, false])
        expect(isToken(token.slice(1), token) || isToken(`${token}A`, token)).toBe(false)
      }),
    )
  })
})

describe('the places of a site proof', () => {
  it('are shown exactly as they must be written', () => {
    expect(proofPlaces(parseDestination('https://acme.com/shop/a'), 'TOKEN')).toEqual({
      fileUrl: 'https://acme.com/.well-known/placard.txt',
      fileText: 'TOKEN',
      metaTag: '<meta name="placard-verification" content="TOKEN">',
      dnsName: '_placard.acme.com',
      dnsText: 'placard-verification=TOKEN',
    })
  })

  it('keep scheme and host of the destination; only the DNS name goes without www', () => {
    expect(proofPlaces(parseDestination('http://www.acme.co.uk'), 'TOKEN')).toMatchObject({
      fileUrl: 'http://www.acme.co.uk/.well-known/placard.txt',
      dnsName: '_placard.acme.co.uk',
    })
    expect(proofPlaces(parseDestination('https://bücher.de//a/../b'), 'TOKEN')).toMatchObject({
      fileUrl: 'https://xn--bcher-kva.de/.well-known/placard.txt',
      dnsName: '_placard.xn--bcher-kva.de',
    })
  })
})

describe('a change of the service key', () => {
  const old = { secret: new Secret(randomBytes(32)), checkValue: 'old', replacedAt: NOW }
  const newest = { secret: new Secret(randomBytes(32)), checkValue: 'new', replacedAt: undefined }
  const before = new SiteProofs(new ServiceKeys([{ ...old, replacedAt: undefined }]))
  const after = new SiteProofs(new ServiceKeys([newest, old]))

  it('keeps tokens from before, and makes new ones with the new key', () => {
    const begun = before.begin(NOW - 1)
    const token = before.token(begun, ACME, NOW - 1)
    expect(token).toBeDefined()
    expect(after.token(begun, ACME, NOW + 1)).toEqual(token)
    const later = after.begin(NOW)
    expect(after.token(later, ACME, NOW + 1)?.token).not.toBe(before.token(later, ACME, NOW + 1)?.token)
    expect(after.token(later, ACME, NOW + 1)).toEqual(
      new SiteProofs(new ServiceKeys([newest])).token(later, ACME, NOW + 1),
    )
  })
})
