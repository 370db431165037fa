import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Owned, OwnershipPasses, PASS_LIFETIME_MS } from '../../../src/domain/ownership/signed-cookies.ts'
import { Secret } from '../../../src/platform/lib/secret.ts'
import { anyCharacter } from '../../support/characters.ts'
import { FIXED_KEYS, serviceKeys } from '../../support/keys.ts'

const passes = new OwnershipPasses(FIXED_KEYS)
/** A destination that is not listed, or has no private link. */
const of = (destinationKey: string, linkVersion: number | null = null) => ({ destinationKey, linkVersion })
const ACME = of('2:acme.com/shop')
const provedIn = (cookie: string | undefined, owned: Owned, now: number) => passes.read(cookie, owned, now)?.provedBy
const NOW = Date.UTC(2026, 10, 21, 12)

const provedBy = fc.constantFrom('private_link', 'well_known', 'meta_tag', 'dns_txt')
const time = fc.integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2100, 0, 1) })
const key = fc.oneof(
  fc.constantFrom(ACME.destinationKey, '2:acme.com', '2:shop.acme.com'),
  fc.string({ maxLength: 40 }),
)

describe('an ownership pass', () => {
  it('says how ownership was proved, for an hour', () => {
    fc.assert(
      fc.property(
        key,
        provedBy,
        time,
        fc.integer({ min: -1000, max: 2 * PASS_LIFETIME_MS }),
        (destination, by, now, age) => {
          const pass = passes.give(of(destination), by, now)
          expect(provedIn(pass, of(destination), now + age)).toBe(age < PASS_LIFETIME_MS ? by : undefined)
        },
      ),
    )
    const pass = passes.give(ACME, 'dns_txt', NOW)
    expect(passes.read(pass, ACME, NOW)).toEqual({ provedBy: 'dns_txt', until: NOW + PASS_LIFETIME_MS })
    expect(provedIn(pass, ACME, NOW + PASS_LIFETIME_MS - 1)).toBe('dns_txt')
    expect(provedIn(pass, ACME, NOW + PASS_LIFETIME_MS)).toBeUndefined()
  })

  it('is for one destination', () => {
    fc.assert(
      fc.property(key, key, provedBy, (one, other, by) => {
        fc.pre(one !== other)
        expect(provedIn(passes.give(of(one), by, NOW), of(other), NOW)).toBeUndefined()
      }),
    )
  })

  it('ends with the version of the private link that it was given for, and with no other', () => {
    const listed = (version: number | null) => of(ACME.destinationKey, version)
    const pass = passes.give(listed(1), 'private_link', NOW)
    expect(provedIn(pass, listed(1), NOW)).toBe('private_link')
    for (const version of [2, 11, null]) expect(provedIn(pass, listed(version), NOW)).toBeUndefined()
    // A proof on the website stays valid, even if it is listed meanwhile.
    const shown = passes.give(listed(null), 'well_known', NOW)
    for (const version of [1, 2]) expect(provedIn(shown, listed(version), NOW)).toBe('well_known')
  })

  it('is invalid once any of it changes', () => {
    const pass = passes.give(ACME, 'meta_tag', NOW)
    const change = fc.tuple(fc.nat({ max: pass.length - 1 }), fc.string({ unit: anyCharacter, maxLength: 2 }))
    fc.assert(
      fc.property(change, ([at, by]) => {
        const changed = pass.slice(0, at) + by + pass.slice(at + 1)
        fc.pre(changed !== pass)
        expect(provedIn(changed, ACME, NOW)).toBeUndefined()
      }),
      { numRuns: 2_000 },
    )
  })

  it('does not become another by swapping parts', () => {
    const [by, until, signature] = passes.give(ACME, 'dns_txt', NOW).split('.')
    for (const forged of [
      `private_link.${until}.${signature}`,
      `${by}.${Number(until) + 1}.${signature}`,
      `${by}.${until}.${passes.give(ACME, 'meta_tag', NOW).split('.')[2]}`,
      `${by}.${until}.${signature}\n`,
      `${by}.${until}.${'A'.repeat(43)}`,
      `constructor.${until}.${signature}`,
    ]) {
      expect(provedIn(forged, ACME, NOW)).toBeUndefined()
    }
  })

  it('cannot be made without the service key', () => {
    const others = new OwnershipPasses(serviceKeys(new Secret(randomBytes(32))))
    expect(provedIn(others.give(ACME, 'private_link', NOW), ACME, NOW)).toBeUndefined()
  })

  it('is nothing else', () => {
    for (const cookie of [undefined, '', '.', '..', 'private_link', 'x'.repeat(10_000)]) {
      expect(provedIn(cookie, ACME, NOW)).toBeUndefined()
    }
  })
})
