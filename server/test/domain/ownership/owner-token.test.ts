import { hkdfSync, randomBytes } from 'node:crypto'
import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import {
  deriveOwnerToken,
  hashOf,
  matchesHash,
  nextOwnerToken,
  ownerTokenText,
  parseOwnerToken,
} from '../../../src/domain/ownership/owner-token.ts'
import { SESSION_LIFETIME_MS, Sessions } from '../../../src/domain/ownership/signed-cookies.ts'
import { Secret } from '../../../src/platform/lib/secret.ts'
import { serviceKeys } from '../../support/keys.ts'

const random = () => new Secret(randomBytes(32))
const link = { claimId: '0b4f5e7e-1cd5-49d1-831e-39b6daf53bef', linkVersion: 1 }

describe('the owner token', () => {
  it('is HKDF-SHA-256 of the secret, salted with the service key, for one claim and link version', () => {
    for (let round = 0; round < 20; round++) {
      const [secret, key] = [random(), random()]
      const info = `placard owner token ${link.claimId} ${link.linkVersion}`
      const expected = Buffer.from(hkdfSync('sha256', secret.reveal(), key.reveal(), info, 32))
      expect(deriveOwnerToken(secret, key, link).reveal()).toEqual(expected)
    }
  })

  it('differs for another secret, key, claim or link version', () => {
    const [secret, key] = [random(), random()]
    const tokens = [
      deriveOwnerToken(secret, key, link),
      deriveOwnerToken(random(), key, link),
      deriveOwnerToken(secret, random(), link),
      deriveOwnerToken(secret, key, { ...link, claimId: 'another' }),
      deriveOwnerToken(secret, key, { ...link, linkVersion: 2 }),
    ]
    expect(new Set(tokens.map(ownerTokenText)).size).toBe(tokens.length)
  })

  it('of a renewed link follows from the previous one, with the service key', () => {
    const [secret, key] = [random(), random()]
    const second = { ...link, linkVersion: 2 }
    const first = deriveOwnerToken(secret, key, link)
    const next = nextOwnerToken(first, key, second)
    expect(deriveOwnerToken(secret, key, second).reveal()).toEqual(next.reveal())
    expect(nextOwnerToken(first, random(), second).reveal()).not.toEqual(next.reveal())
    const third = { ...link, linkVersion: 3 }
    expect(deriveOwnerToken(secret, key, third).reveal()).toEqual(nextOwnerToken(next, key, third).reveal())
  })

  it('is read back from its text, and nothing else is', () => {
    const token = random()
    expect(parseOwnerToken(ownerTokenText(token))?.reveal()).toEqual(token.reveal())
    for (const bad of ['', 'x', `${ownerTokenText(token)}A`, 'a'.repeat(42), 'é'.repeat(43), 5, null, undefined]) {
      expect(parseOwnerToken(bad)).toBeUndefined()
    }
  })

  it('matches its own hash only', () => {
    const token = random()
    expect(matchesHash(token, hashOf(token))).toBe(true)
    expect(matchesHash(random(), hashOf(token))).toBe(false)
  })
})

describe('a secret', () => {
  it('prints as [secret], however it is printed', () => {
    const secret = Secret.fromHex('ab'.repeat(32))
    expect([String(secret), JSON.stringify({ secret }), inspect(secret), inspect({ deep: { secret } })]).toEqual([
      '[secret]',
      '{"secret":"[secret]"}',
      '[secret]',
      '{ deep: { secret: [secret] } }',
    ])
  })
})

describe('a visit to a private page', () => {
  it('is open for its link and its time only, and cannot be made without the key', () => {
    const sessions = new Sessions(serviceKeys(random()))
    const now = Date.UTC(2026, 10, 21)
    const cookie = sessions.open(link, now)
    expect(sessions.isOpen(cookie, link, now)).toBe(true)
    expect(sessions.isOpen(cookie, link, now + SESSION_LIFETIME_MS - 1)).toBe(true)
    expect(sessions.isOpen(cookie, link, now + SESSION_LIFETIME_MS)).toBe(false)
    expect(sessions.isOpen(cookie, { ...link, claimId: 'another' }, now)).toBe(false)
    expect(sessions.isOpen(cookie, { ...link, linkVersion: 2 }, now)).toBe(false)
    expect(sessions.isOpen(new Sessions(serviceKeys(random())).open(link, now), link, now)).toBe(false)
    const [until, signature] = cookie.split('.')
    expect(sessions.isOpen(`${Number(until) + 60_000}.${signature}`, link, now)).toBe(false)
    for (const bad of [undefined, '', 'x', `${until}.`, `.${signature}`])
      expect(sessions.isOpen(bad, link, now)).toBe(false)
  })
})
