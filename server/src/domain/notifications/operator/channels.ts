import type { Config } from '../../../platform/config/config.ts'
import type { ToldTable } from '../../../platform/db/tables/operator.ts'
import type { Links } from '../../../platform/http/links.ts'
import { MINUTE_MS } from '../../../platform/lib/time.ts'
import { signedMessage } from '../../../platform/lib/webhook-signature.ts'
import type { Message } from './message.ts'
import { mailSender, REFUSED_LOGIN, type RefusedRecipient, SEND_WITHIN_MS } from './smtp.ts'

/** A way to notify the operator. */
export interface Channel {
  name: ChannelName
  /**
   * Resolves when the other side has the message, with the refusals of single recipients.
   *
   * @throws Error if it may not have the message, or a refused recipient may still accept it
   */
  send(message: Message, now: number, signal: AbortSignal): Promise<readonly Error[]>
}

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
    return []
  },
})

/** How long a message, and all after it, waits for single recipients. Greylisting takes minutes. */
const DEFERRED_MAX_MS = 20 * MINUTE_MS

const mailChannel = ({ url, from, to }: NonNullable<Config['telling']['mail']>, links: Links): Channel => {
  const sendMail = mailSender(url)
  /** The recipients who lack a message, after the server took it for the others. */
  let lacking: { id: string; to: readonly string[] } | undefined
  /** Those who did not get the last message, as with a full mailbox: no message waits for them again. */
  let givenUp: readonly string[] = []
  return {
    name: 'mail',
    async send({ id, at, subject, text }, now, signal) {
      if (lacking?.id !== id) lacking = undefined
      const mail = { from, subject, text, messageId: `<${id}@${links.hostname}>`, date: new Date(at) }
      const refused = await sendMail({ ...mail, to: lacking?.to ?? to }, signal).catch(error => {
        if (error.code === 'EAUTH') throw new Error(REFUSED_LOGIN)
        if (lacking && error.rejectedErrors) return error.rejectedErrors as RefusedRecipient[]
        throw error
      })
      const without = refused.map(({ recipient = '' }) => recipient)
      lacking = refused.length > 0 ? { id, to: without } : undefined
      const deferred = refused.find(
        ({ responseCode = 0, recipient = '' }) => responseCode < 500 && !givenUp.includes(recipient),
      )
      if (deferred && now - at < DEFERRED_MAX_MS) throw deferred
      givenUp = without
      return refused
    },
  }
}

export type ChannelName = ToldTable['channel']
