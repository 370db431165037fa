import { isLoopback } from '../../../platform/config/config.ts'
import type { Secret } from '../../../platform/lib/secret.ts'

/** Limit of one attempt with all its steps. */
export const SEND_WITHIN_MS = 30_000

/** Limit of each step with a mail server. */
const STEP_WITHIN_MS = 10_000

/** A mail to send. Everything in it is encoded, so no field can add a header. */
interface OutgoingMail {
  from: string | { name: string; address: string }
  to: string | readonly string[]
  subject: string
  text: string
  html?: string
  /** With angle brackets. Each attempt has the same, so that a server can recognise a repetition. */
  messageId: string
  date: Date
  headers?: Record<string, string>
}

/** Sends a mail. Resolves when the server has it. @throws Error if the server may not have it */
export type SendMail = (mail: OutgoingMail, signal: AbortSignal) => Promise<void>

/** Returns a function that sends mails through the server of SMTP_URL, each over a connection of its own. */
export const mailSender =
  (url: Secret): SendMail =>
  async (mail, signal) => {
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
    const to = typeof mail.to === 'string' ? mail.to : [...mail.to]
    const sent = transport.sendMail({ ...mail, to, headers: { 'Auto-Submitted': 'auto-generated', ...mail.headers } })
    await Promise.race([sent, aborted(AbortSignal.any([signal, AbortSignal.timeout(SEND_WITHIN_MS)]))])
  }

const aborted = (signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
  })
