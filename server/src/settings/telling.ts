import { Secret } from '../secret.ts'
import type { Row } from './row.ts'
import { fetchedAddress, listOf } from './values.ts'

/** How the operator is told what waits: `docs/telling.md`. */
export const TELLING_SETTINGS = {
  OPERATOR_WEBHOOK_URL: {
    unset: 'none',
    meaning:
      'Where the operator’s webhook is told what waits, and gets a digest each day. See [telling.md](telling.md).',
    parse: fetchedAddress,
  },
  OPERATOR_WEBHOOK_SECRET: {
    unset: 'none',
    meaning:
      'The secret that signs it: `whsec_` and 24 to 64 bytes in base64. Required with OPERATOR_WEBHOOK_URL.',
    parse: webhookSecret,
  },
  SMTP_URL: {
    unset: 'none',
    meaning:
      'Mail server for the same by mail: `smtp://user:password@host:port`, or `smtps://…`. See [telling.md](telling.md).',
    parse: smtpUrl,
  },
  OPERATOR_MAIL_TO: {
    unset: 'none',
    meaning: 'Comma-separated mail addresses of the operators. Required with SMTP_URL.',
    parse: listOf(mailAddress),
  },
  SMTP_FROM: {
    unset: 'the first of OPERATOR_MAIL_TO',
    meaning: 'Mail address that the mails come from.',
    parse: mailAddress,
  },
} as const satisfies Record<string, Row>

/** @throws Error that never repeats the secret */
function webhookSecret(value: string): Secret {
  const [, base64] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(value) ?? []
  const bytes = Buffer.from(base64 ?? '', 'base64').length
  if (bytes >= 24 && bytes <= 64) return new Secret(Buffer.from(value))
  throw new Error(
    'must be whsec_ and 24 to 64 bytes in base64; make one with: echo whsec_$(openssl rand -base64 32)',
  )
}

/** @throws Error that never repeats the value, which may hold a password */
function smtpUrl(value: string): Secret {
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (url && /^smtps?:$/.test(url.protocol) && url.hostname !== '') return new Secret(Buffer.from(value))
  throw new Error(
    'must be smtp://user:password@host:port or smtps://…, with special characters percent-encoded',
  )
}

function mailAddress(value: string): string {
  if (/^[^\s@<>,;:"()[\]\\]{1,64}@[^\s@<>,;:"()\\]{1,255}$/.test(value)) return value
  throw new Error(`must be a mail address like ops@example.org, not "${value}"`)
}
