import { expect, test } from 'vitest'
import { quoted } from '../../../../src/domain/notifications/operator/message.ts'
import { configFrom } from '../../../../src/platform/config/config.ts'
import type { Env } from '../../../../src/platform/config/settings.ts'
import { SECRET } from './stand-ins.ts'

const URL = 'http://10.0.0.7/hook'
const SMTP = 'smtp://placard:shibboleth@mail.example.org:587'

function messageOf(env: Env): string {
  try {
    return JSON.stringify(configFrom(env).notifications)
  } catch (error) {
    return (error as Error).message
  }
}

test('notification settings print no secret', () => {
  expect(messageOf({})).toBe('{}')
  expect(messageOf({ OPERATOR_WEBHOOK_URL: URL, OPERATOR_WEBHOOK_SECRET: SECRET })).toBe(
    `{"webhook":{"url":"${URL}","secret":"[secret]"}}`,
  )
  expect(messageOf({ SMTP_URL: SMTP, OPERATOR_MAIL_TO: 'a@example.org,b@example.org' })).toBe(
    '{"mail":{"url":"[secret]","from":"a@example.org","to":["a@example.org","b@example.org"]}}',
  )
  expect(messageOf({ SMTP_URL: SMTP, OPERATOR_MAIL_TO: 'a@example.org', SMTP_FROM: 'p@example.org' })).toContain(
    '"from":"p@example.org"',
  )
})

test.each<[Env, string]>([
  [{ OPERATOR_WEBHOOK_URL: URL }, 'OPERATOR_WEBHOOK_SECRET must be set with OPERATOR_WEBHOOK_URL'],
  [
    { OPERATOR_WEBHOOK_URL: 'https://me:shibboleth@hooks.example/', OPERATOR_WEBHOOK_SECRET: SECRET },
    'OPERATOR_WEBHOOK_URL must not contain a user or password',
  ],
  [{ MODERATION_URL: 'https://:shibboleth@api.example/' }, 'MODERATION_URL must not contain a user'],
  [{ PURGE_URL: 'https://me:shibboleth@cache.example/' }, 'PURGE_URL must not contain a user'],
  [{ OPERATOR_WEBHOOK_SECRET: SECRET }, 'OPERATOR_WEBHOOK_URL must be set with OPERATOR_WEBHOOK_SECRET'],
  [{ OPERATOR_WEBHOOK_SECRET: 'whsec_c2hvcnQ=' }, 'OPERATOR_WEBHOOK_SECRET must be whsec_ and 24 to 64 bytes'],
  [{ OPERATOR_WEBHOOK_SECRET: 'shibboleth' }, 'OPERATOR_WEBHOOK_SECRET must be whsec_ and 24 to 64 bytes'],
  [{ SMTP_URL: SMTP }, 'OPERATOR_MAIL_TO must be set with SMTP_URL'],
  [{ OPERATOR_MAIL_TO: 'a@example.org' }, 'SMTP_URL must be set with OPERATOR_MAIL_TO'],
  [{ SMTP_FROM: 'a@example.org' }, 'SMTP_URL must be set with SMTP_FROM'],
  [{ SMTP_URL: 'mail:shibboleth' }, 'SMTP_URL must be smtp://user:password@host:port'],
  [{ SMTP_URL: `${SMTP}?ignoreTLS=true&requireTLS=false` }, 'SMTP_URL must have requireTLS=true, or no requireTLS'],
  [{ OPERATOR_MAIL_TO: 'Jane <a@example.org>' }, 'OPERATOR_MAIL_TO must be a mail address'],
  [{ SMTP_FROM: 'a@example.org\r\nBcc: b@example.org' }, 'SMTP_FROM must be a mail address'],
])('%o stops the start in one line', (env, message) => {
  expect(messageOf(env)).toContain(message)
  expect(messageOf(env)).not.toContain('shibboleth')
})

test.each([
  ['A Shop', '“A Shop”'],
  ['Booking.com, v2.0. Really.', '“Booking[.]com, v2[.]0. Really.”'],
  ['evil。example mailto:x@y', '“evil[.]example mailto[:]x[at]y”'],
  ['one\r\ntwo\u2028three\u0085four\u202e', '“one two threefour”'],
  ['x'.repeat(200), `“${'x'.repeat(79)}…”`],
])('%j is quoted in one line without links', (title, line) => {
  expect(quoted(title)).toBe(line)
})
