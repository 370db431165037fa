import { hostname as machineName } from 'node:os'
import { type ConnectionOptions, checkServerIdentity, type PeerCertificate } from 'node:tls'
import { isLoopback } from '../../../platform/config/config.ts'
import type { Secret } from '../../../platform/lib/secret.ts'

/** Limit of one attempt with all its steps. */
export const SEND_WITHIN_MS = 30_000

/** Limit of each step until a mail server has greeted, and of each step of a login without a mail. */
const STEP_WITHIN_MS = 10_000

/** A mail to send. Everything in it is encoded, so no field can add a header. */
interface OutgoingMail {
  from: string | { name: string; address: string }
  to: string
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

/** The server of SMTP_URL, and the address that mails are from. */
interface MailServer {
  url: Secret
  from: string
}

/** Returns a connection to a server. @param tls further options of its TLS */
async function transportTo({ url, from }: MailServer, socketTimeout: number, tls: ConnectionOptions = {}) {
  // Loaded only with SMTP_URL.
  const { createTransport } = await import('nodemailer')
  const server = url.reveal().toString()
  const { username, hostname, searchParams } = new URL(server)
  const isHere = isLoopback(hostname)
  return createTransport({
    url: server,
    // The name of a container has no domain. The library would greet with 127.0.0.1, which some servers refuse.
    name: machineName().includes('.') ? undefined : from.split('@').at(-1),
    // A password never leaves this machine in clear text.
    requireTLS: username !== '' && !isHere,
    connectionTimeout: STEP_WITHIN_MS,
    greetingTimeout: STEP_WITHIN_MS,
    socketTimeout,
    dnsTimeout: STEP_WITHIN_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
    // Debian gives a mail server a certificate that it signed itself. Within this machine, no one can pretend to be it.
    tls: { ...tls, rejectUnauthorized: !isHere || searchParams.has('requireTLS') },
  })
}

/**
 * Logs in to a server, and sends nothing.
 *
 * @returns its certificate; undefined without TLS
 * @throws Error if a mail could not be sent. Its message never has the password
 */
export async function logInToMailServer(server: MailServer): Promise<PeerCertificate | undefined> {
  let certificate: PeerCertificate | undefined
  // Later than a missing greeting, which says more.
  const transport = await transportTo(server, STEP_WITHIN_MS + 1_000, {
    checkServerIdentity(name, presented) {
      certificate = presented
      return checkServerIdentity(name, presented)
    },
  })
  await transport.verify().catch(error => {
    const { protocol } = new URL(server.url.reveal().toString())
    throw new Error(error.code === 'EAUTH' ? REFUSED_LOGIN : problemOf(error, protocol), { cause: error })
  })
  return certificate
}

/** Returns what is wrong. For TLS at the wrong port, OpenSSL and a server that waits for TLS say nothing of use. */
function problemOf({ message }: Error, protocol: string): string {
  if (/wrong version number/i.test(message)) {
    return 'this port does not begin with TLS: use smtp://, which turns it on with STARTTLS, or port 465'
  }
  if (protocol === 'smtp:' && message === 'Greeting never received') {
    return 'the server sends no greeting: if its port begins with TLS, as 465 does, use smtps://'
  }
  // Node.js advises an option that systemd's unit and the image can't pass on.
  return message.split('; if the root CA')[0] ?? message
}

/** A server may repeat the password in its answer. */
export const REFUSED_LOGIN = 'the mail server refused the user or password of SMTP_URL'

/** Returns a function that sends mails through a server, each over a connection of its own. */
export const mailSender =
  (server: MailServer): SendMail =>
  async ({ text, html, ...mail }, signal) => {
    // A server that checks a mail before it answers needs time. A mail that was given up before would arrive again.
    const transport = await transportTo(server, SEND_WITHIN_MS)
    const sent = transport.sendMail({
      ...mail,
      // The library's own `text` can't be marked as flowed.
      alternatives: [
        { contentType: 'text/plain; charset=utf-8; format=flowed', content: flowed(text) },
        ...(html === undefined ? [] : [{ contentType: 'text/html; charset=utf-8', content: html }]),
      ],
      headers: { 'Auto-Submitted': 'auto-generated', ...mail.headers },
    })
    await Promise.race([sent, aborted(AbortSignal.any([signal, AbortSignal.timeout(SEND_WITHIN_MS)]))])
  }

/** As RFC 3676 advises: with the signs of replies before it, a line still fits into 80 columns. */
const LINE_MAX_LENGTH = 72

/**
 * Returns text in short lines for programs that show a mail as it is. Others join lines that end with a space, and fit
 * them to their window (RFC 3676). An address is never broken.
 */
const flowed = (text: string): string => text.split('\n').map(flowedLine).join('\n')

function flowedLine(line: string): string {
  // The line before a signature has a space, too. A signature of the log must stay in one line.
  if (line === '-- ' || line.startsWith('— ')) return line
  const lines: string[] = []
  let last = ''
  for (const [nth, word] of line.trimEnd().split(' ').entries()) {
    const longer = nth === 0 ? word : `${last} ${word}`
    if (longer.length <= LINE_MAX_LENGTH || last.trim() === '' || word === '') last = longer
    else {
      lines.push(`${last} `)
      last = word
    }
  }
  // A reader takes away the first space of a line, and would read `>` as a quotation. Mailboxes write it before "From ".
  return [...lines, last].map(each => (/^(?:[ >]|From )/.test(each) ? ` ${each}` : each)).join('\n')
}

const aborted = (signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
  })
