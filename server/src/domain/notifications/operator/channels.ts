import { hash } from 'node:crypto'
import type { Config } from '../../../platform/config/config.ts'
import type { Database } from '../../../platform/db/tables/index.ts'
import type { Links } from '../../../platform/http/links.ts'
import { signedMessage } from '../../../platform/lib/webhook-signature.ts'
import type { Message } from './message.ts'
import { mailSender, REFUSED_LOGIN, SEND_WITHIN_MS } from './smtp.ts'

/** A way to notify the operator. */
export interface Channel {
  name: ChannelName
  /** What earlier versions called it. */
  formerName?: ChannelName | undefined
  /** Resolves when the other side has the message. @throws Error if it may not have it */
  send(message: Message, now: number, signal: AbortSignal): Promise<void>
}

type Mail = NonNullable<Config['notifications']['mail']>

/** Returns the channels that the settings choose, by the job that serves them. */
export const channelsOf = ({ webhook, mail }: Config['notifications'], links: Links) => ({
  webhook: webhook ? [webhookChannel(webhook)] : [],
  // Earlier versions sent one mail to all.
  mail: mail?.to.map((_, nth) => mailChannel(mail, nth, links)) ?? [],
})

/** The operator chose the address, so it may be a private one. No guarded fetcher is used. */
const webhookChannel = ({ url, secret }: NonNullable<Config['notifications']['webhook']>): Channel => ({
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

/** Mails one recipient: what a server says about another must neither lose nor repeat a message. */
const mailChannel = (server: Mail, nth: number, links: Links): Channel => {
  const sendMail = mailSender(server)
  const to = server.to[nth] ?? ''
  return {
    name: `mail-${hash('sha256', to).slice(0, 12)}`,
    formerName: nth === 0 ? 'mail' : undefined,
    async send({ id, at, subject, text }, _now, signal) {
      const mail = { from: server.from, to, subject, text, messageId: `<${id}@${links.hostname}>`, date: new Date(at) }
      await sendMail(mail, signal).catch(error => {
        // The log never names an address.
        const why =
          error.code === 'EAUTH' ? REFUSED_LOGIN : `recipient ${nth + 1} of OPERATOR_MAIL_TO: ${error.message}`
        throw new Error(why)
      })
    },
  }
}

export type ChannelName = Database['told']['channel']
