import { type Config, isLoopback } from '../../../platform/config/config.ts'
import type { ToldTable } from '../../../platform/db/tables/operator.ts'
import type { Links } from '../../../platform/http/links.ts'
import { signedMessage } from '../../../platform/lib/webhook-signature.ts'
import type { Message } from './message.ts'

/** A way to notify the operator. */
export interface Channel {
  name: ChannelName
  /** Resolves when the other side has the message. @throws Error if it may not have it */
  send(message: Message, now: number, signal: AbortSignal): Promise<void>
}

/** Limit of one attempt with all its steps. */
const SEND_WITHIN_MS = 30_000

/** Limit of each step with a mail server. */
const STEP_WITHIN_MS = 10_000

/** Returns the channels that the settings choose. */
export const channelsOf = ({ webhook, mail }: Config['telling'], links: Links) => ({
  webhook: webhook && webhookChannel(webhook),
  mail: mail && mailChannel(mail, links),
})

/** The operator chose the address, so it may be a private one. No guarded fetcher is used. */
const webhookChannel = ({ url, secret }: NonNullable<Config['telling']['webhook']>): Channel => ({
  name: 'webhook',
  async send({ id, type, at, subject, text, data }, now, signal) {
    const event = { type, timestamp: new Date(at).toISOString(), data: { subject, text, ...data } }
    const { headers, body } = signedMessage(id, JSON.stringify(event), secret.reveal().toString(), now)
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(SEND_WITHIN_MS)]),
    })
    await response.body?.cancel()
    if (!response.ok) throw new Error(`OPERATOR_WEBHOOK_URL answered ${response.status}`)
  },
})

const mailChannel = ({ url, from, to }: NonNullable<Config['telling']['mail']>, links: Links): Channel => ({
  name: 'mail',
  async send({ id, at, subject, text }, _now, signal) {
    // Loaded only with SMTP_URL.
    const { createTransport } = await import('nodemailer')
    const server = url.reveal().toString()
    const { username, hostname } = new URL(server)
    const transport = createTransport({
      url: server,
      // A password never leaves this machine in clear text.
      requireTLS: username !== '' && !isLoopback(hostname),
      connectionTimeout: STEP_WITHIN_MS,
      greetingTimeout: STEP_WITHIN_MS,
      socketTimeout: STEP_WITHIN_MS,
      dnsTimeout: STEP_WITHIN_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
    })
    const sent = transport.sendMail({
      from,
      to,
      subject,
      text,
      messageId: `<${id}@${links.hostname}>`,
      date: new Date(at),
      headers: { 'Auto-Submitted': 'auto-generated' },
    })
    await Promise.race([sent, aborted(AbortSignal.any([signal, AbortSignal.timeout(SEND_WITHIN_MS)]))]).catch(error => {
      // A server may repeat the password in its answer.
      if (error.code === 'EAUTH') throw new Error('the mail server refused the user or password of SMTP_URL')
      throw error
    })
  },
})

const aborted = (signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
  })

export type ChannelName = ToldTable['channel']
