import { randomBytes, randomUUID } from 'node:crypto'
import { EXAMPLES, PROOF_HEADER } from '@placard/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hashOf } from '../../../src/domain/ownership/owner-token.ts'
import { isPredictable } from '../../../src/domain/publishing/submission.ts'
import { Secret } from '../../../src/platform/lib/secret.ts'
import { newCredentials, publish, publishBody, startTestService, type TestService } from '../../support/service.ts'

const ascending = Buffer.from(Array.from({ length: 32 }, (_, n) => n)).toString('hex')

/** Sixteen bytes whose steps all differ. */
const withoutEqualSteps = Buffer.from(Array.from({ length: 16 }, (_, n) => ((n + 1) * (n + 4)) % 256)).toString('hex')

describe('a predictable secret', () => {
  it.each([
    ['one byte', 'ab'.repeat(32)],
    ['one digit, and another at the end', `${'0'.repeat(63)}1`],
    ['half zeros', '0'.repeat(34) + randomBytes(15).toString('hex')],
    ['ascending bytes', ascending],
    ['descending bytes', Buffer.from(ascending, 'hex').reverse().toString('hex')],
    ['bytes in steps of 17', Buffer.from(Array.from({ length: 32 }, (_, n) => (n * 17) % 256)).toString('hex')],
    ['all digits, four times', '0123456789abcdef'.repeat(4)],
    ['a pattern of three digits', '1a2'.repeat(22).slice(0, 64)],
    ['a pattern of 16 bytes', randomBytes(16).toString('hex').repeat(2)],
    ['what models write', '1a2b3c4d5e6f7a8b9c0d1e2f3a4b5c6d7e8f9a0b1c2d3e4f5a6b7c8d9e0f1a2b'],
    ['upper case', 'DEADBEEF'.repeat(8)],
    ['the example of the documents', EXAMPLES.publish.headers[PROOF_HEADER]],
  ])('is %s', (_what, secret) => {
    expect([secret.length, isPredictable(secret)]).toEqual([64, true])
  })

  it('is none of many random ones, nor any that looks a little like a pattern', () => {
    for (let each = 0; each < 20_000; each++) {
      expect(isPredictable(randomBytes(32).toString('hex'))).toBe(false)
      expect(isPredictable(randomUUID())).toBe(false)
    }
    // Fifteen equal steps of 31, and a repetition with another last digit.
    expect(isPredictable('00'.repeat(16) + withoutEqualSteps)).toBe(false)
    expect(isPredictable(`${'9f3c21e07b5d48a6c21b7d3f0ae94582'.repeat(2).slice(0, 63)}7`)).toBe(false)
  })

  it.each([
    '00000000-0000-4000-8000-000000000000',
    '11111111-1111-4111-8111-111111111111',
    '01234567-89ab-4cde-8f01-23456789abcd',
    '550e8400-e29b-41d4-a716-446655440000',
    // What models write, and the examples of a well-known package.
    'a1b2c3d4-e5f6-4a7b-8c9d-0e1f2a3b4c5d',
    '1a2b3c4d-5e6f-4a7b-8c9d-0e1f2a3b4c5d',
    '9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d',
  ])('is a key, too: %s', key => {
    expect(isPredictable(key)).toBe(true)
  })
})

describe('publishing with a predictable secret', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService()
  })
  afterAll(() => service.stop())

  it('is refused, with a line for a shell, Python and JavaScript', async () => {
    const body = publishBody('http://guessed.com')
    const weak = await publish(service, { ...newCredentials(), secret: ascending }, body)
    expect([weak.status, weak.body.code, weak.body.field]).toEqual([
      400,
      'invalid_submission_secret',
      'X-Submission-Secret',
    ])
    expect(weak.body.error).toMatch(/openssl rand -hex 32.*secrets\.token_hex\(32\).*randomBytes\(32\)/)
    expect(weak.body.error).not.toContain(ascending)
    const copied = await publish(service, { ...newCredentials(), key: '550e8400-e29b-41d4-a716-446655440000' }, body)
    expect([copied.status, copied.body.code]).toEqual([400, 'invalid_idempotency_key'])
    expect(service.sites.visits('guessed.com')).toBe(0)
    expect((await publish(service, newCredentials(), body)).status).toBe(201)
  })

  it('recovers a receipt that has one from before', async () => {
    const credentials = newCredentials()
    const body = publishBody('http://guessed-before.com')
    const first = await publish(service, credentials, body)
    const store = await service.database.openStore()
    const secretHash = hashOf(Secret.fromHex(ascending))
    await store.db.updateTable('attempt').set({ secretHash }).where('idempotencyKey', '=', credentials.key).execute()
    await store.close()
    const again = await publish(service, { ...credentials, secret: ascending }, body)
    expect([again.status, again.body.productUrl]).toEqual([200, first.body.productUrl])
  })
})
