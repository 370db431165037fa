import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseDestination } from '../../../src/domain/destinations/destination.ts'
import { ServiceKeys } from '../../../src/domain/ownership/service-keys/service-keys.ts'
import {
  looksLikeToken,
  PROOF_LIFETIME_MS,
  proofTexts,
  SiteProofs,
  tokenMatcher,
  WAIT_DAYS,
} from '../../../src/domain/ownership/site-proof.ts'
import { Secret } from '../../../src/platform/lib/secret.ts'
import { daysMs } from '../../../src/platform/lib/time.ts'
import { anyCharacter } from '../../support/characters.ts'
import { FIXED_KEYS, serviceKeys } from '../../support/keys.ts'

const proofs = new SiteProofs(FIXED_KEYS)
const ACME = '2:acme.com/shop'
const NOW = Date.UTC(2026, 10, 21, 12)
const tokenOf = (cookie: string | undefined, key = ACME, now = NOW) => proofs.running(cookie, key, now)?.token

describe('the token of a site proof', () => {
  it('stays the same for the seven days that it is promised, and through a wait that begins on the last', () => {
    const cookie = proofs.begin(NOW)
    const first = proofs.running(cookie, ACME, NOW)
    expect(first).toMatchObject({
      token: expect.stringMatching(/^plc_[0-9a-f]{40}$/),
      until: NOW + daysMs(7),
    })
    expect(PROOF_LIFETIME_MS).toBeGreaterThan(daysMs(7 + WAIT_DAYS))
    expect(first?.secret.reveal().toString('hex')).not.toContain(first?.token.slice(4))
    fc.assert(
      fc.property(fc.integer({ min: -PROOF_LIFETIME_MS, max: 2 * PROOF_LIFETIME_MS }), age => {
        const until = age < daysMs(7) ? first?.until : NOW + PROOF_LIFETIME_MS
        expect(proofs.running(cookie, ACME, NOW + age)).toEqual(
          age < PROOF_LIFETIME_MS ? { ...first, until } : undefined,
        )
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
      fc.property(fc.uint8Array({ minLength: 20, maxLength: 20 }), fc.string(), (bytes, other) => {
        const token = `plc_${Buffer.from(bytes).toString('hex')}`
        fc.pre(other !== token)
        const isToken = tokenMatcher(token)
        expect([looksLikeToken(token), isToken(token), isToken(other)]).toEqual([true, true, false])
        expect(isToken(token.slice(1)) || isToken(`${token}a`)).toBe(false)
      }),
    )
  })
})

describe('the places of a site proof', () => {
  it('are shown exactly as they must be written', () => {
    expect(proofTexts(parseDestination('https://acme.com/shop/a'), 'TOKEN')).toEqual({
      fileUrl: 'https://acme.com/.well-known/placard.txt',
      metaTag: '<meta name="placard-challenge" content="TOKEN">',
      dnsName: '_placard-challenge.acme.com',
    })
  })

  it('keep scheme and host of the destination; only the DNS name goes without www', () => {
    expect(proofTexts(parseDestination('http://www.acme.co.uk'), 'TOKEN')).toMatchObject({
      fileUrl: 'http://www.acme.co.uk/.well-known/placard.txt',
      dnsName: '_placard-challenge.acme.co.uk',
    })
    expect(proofTexts(parseDestination('https://bücher.de//a/../b'), 'TOKEN')).toMatchObject({
      fileUrl: 'https://xn--bcher-kva.de/.well-known/placard.txt',
      dnsName: '_placard-challenge.xn--bcher-kva.de',
    })
  })
})

describe('a change of the service key', () => {
  const old = { secret: new Secret(randomBytes(32)), checkValue: 'old', replacedAt: NOW - 600_000 }
  const newest = { secret: new Secret(randomBytes(32)), checkValue: 'new', replacedAt: undefined }
  const before = new SiteProofs(new ServiceKeys([{ ...old, replacedAt: undefined }]))
  const after = new SiteProofs(new ServiceKeys([newest, old]))

  it('keeps tokens from before, and makes new ones with the new key', () => {
    const begun = before.begin(NOW - 1)
    const token = before.running(begun, ACME, NOW - 1)
    expect(token).toBeDefined()
    expect(after.running(begun, ACME, NOW + 1)).toEqual(token)
    const later = after.begin(NOW)
    expect(after.running(later, ACME, NOW + 1)?.token).not.toBe(before.running(later, ACME, NOW + 1)?.token)
    expect(after.running(later, ACME, NOW + 1)).toEqual(
      new SiteProofs(new ServiceKeys([newest])).running(later, ACME, NOW + 1),
    )
  })
})
