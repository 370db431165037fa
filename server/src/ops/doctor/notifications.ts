import { v7 as uuidv7 } from 'uuid'
import { channelsOf } from '../../domain/notifications/operator/channels.ts'
import { logInToMailServer } from '../../domain/notifications/operator/smtp.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Links } from '../../platform/http/links.ts'
import { SECOND_MS } from '../../platform/lib/time.ts'
import { trustAdvice } from '../../platform/lib/untrusted-certificate.ts'
import { type Check, ok, warning } from './finding.ts'
import { judgeCertificate, readCertificate } from './service.ts'

const TIMEOUT_MS = 10 * SECOND_MS

/** Checks the ways in which operators and owners are notified. Warns if there is none. */
export function checkNotifications({ notifications }: Config, links: Links): Check[] {
  const { mail, webhook } = notifications
  if (!mail && !webhook) {
    const none =
      'reports and warnings are not sent to operators: set SMTP_URL or OPERATOR_WEBHOOK_URL (docs/operate.md)'
    return [{ about: 'mail', run: async () => warning(none) }]
  }
  return [
    ...(mail ? [{ about: 'mail', run: () => checkMail(mail) }] : []),
    ...(webhook ? [{ about: 'webhook', run: () => checkWebhook(notifications, links) }] : []),
  ]
}

async function checkMail(mail: NonNullable<Config['notifications']['mail']>) {
  const { host } = new URL(mail.url.reveal().toString())
  const certificate = await logInToMailServer(mail).catch(error => {
    throw new Error(
      `no mail can be sent through ${host} (${error.message}): check SMTP_URL${trustAdvice(error.message)}`,
    )
  })
  const login = ok(`${host} accepts the login${certificate ? '' : ', without TLS'}; no mail was sent`)
  if (!certificate) return login
  const judged = judgeCertificate('the mail server', { certificate })
  return judged.state === 'ok' ? login : judged
}

/** A real message of a type that asks for nothing, because only the receiver can say whether the signature is right. */
async function checkWebhook(notifications: Config['notifications'], links: Links) {
  const now = Date.now()
  const text = 'A test by "placard doctor". Nothing is pending, and nothing is to be done.'
  const message = {
    ...{ id: uuidv7(), type: 'operator.test' as const, at: now },
    ...{ subject: `${links.site.name}: test`, text, data: { waiting: [] } },
  }
  await channelsOf(notifications, links)
    .webhook[0]?.send(message, now, AbortSignal.timeout(TIMEOUT_MS))
    .catch(error => {
      const why = [error.message, error.cause?.message].filter(Boolean).join(': ')
      throw new Error(
        `no notification arrives by webhook (${why}): check OPERATOR_WEBHOOK_URL, its secret, and its server${trustAdvice(why)}`,
      )
    })
  const said = ok('OPERATOR_WEBHOOK_URL accepted a test message')
  const url = new URL(notifications.webhook?.url ?? '')
  if (url.protocol !== 'https:') return said
  const judged = judgeCertificate('the webhook', await readCertificate(url))
  return judged.state === 'ok' ? said : judged
}
