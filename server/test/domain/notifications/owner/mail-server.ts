import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'
import { parsed } from '../operator/stand-ins.ts'

/** The operator's own address, whose mails these tests leave out. */
const OPERATOR = 'ops@example.org'

export interface ReceivedMail {
  to: string
  from: string
  /** How the service greeted. */
  greeting: string
  /** By lower-case name. */
  headers: Map<string, string>
  /** As a program shows it that fits lines to its window. */
  text: string
  /** As other programs show it. */
  lines: string[]
  html: string
  raw: string
}

/** The mail server that the service sends through. */
export async function startMailServer() {
  const mails: ReceivedMail[] = []
  let closed = false
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo: ({ address }, _session, callback) => {
      const answer = address === OPERATOR ? undefined : mailServer.refuses(address)
      callback(
        answer === undefined
          ? null
          : Object.assign(new Error(answer.slice(4)), { responseCode: Number(answer.slice(0, 3)) }),
      )
    },
    onData: async (stream, { envelope, hostNameAppearsAs }, callback) => {
      const raw = await text(stream)
      const to = envelope.rcptTo.map(({ address }) => address).join()
      if (to !== OPERATOR) {
        mails.push({ to, greeting: hostNameAppearsAs, ...readMail(raw) })
        return callback(await mailServer.beforeAnswer(to))
      }
      callback()
    },
  })
  server.on('error', () => {})
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  const mailServer = {
    env: { SMTP_URL: `smtp://127.0.0.1:${port}?from=mail@placard.example`, OPERATOR_MAIL_TO: OPERATOR },
    /** All to owners so far. */
    mails,
    /** Those to an address. */
    to: (address: string) => mails.filter(mail => mail.to === address),
    /** The answer to a recipient that it does not take. */
    refuses: (_address: string): string | undefined => undefined,
    /** It has the mail by then. Returns why it does not take the mail. */
    beforeAnswer: async (_to: string): Promise<Error | undefined> => undefined,
    async close() {
      if (closed) return
      closed = true
      await new Promise<void>(resolve => server.close(resolve))
    },
  }
  return mailServer
}

export type MailServer = Awaited<ReturnType<typeof startMailServer>>

function readMail(raw: string): Omit<ReceivedMail, 'to' | 'greeting'> {
  const { headers } = parsed(raw)
  const boundary = /boundary="([^"]+)"/.exec(headers.get('content-type') ?? '')?.[1] ?? ''
  const parts = raw
    .split(`--${boundary}`)
    .slice(1, -1)
    .map(part => parsed(part.trimStart()))
  const ofType = (type: string) => parts.find(part => part.headers.get('content-type')?.startsWith(type))
  const { text = '', lines = [] } = ofType('text/plain') ?? {}
  return { from: headers.get('from') ?? '', headers, text, lines, html: ofType('text/html')?.text ?? '', raw }
}

/** The path of a link in a mail, such as `confirm`. */
export const linkIn = (mail: ReceivedMail | undefined, does: string): string =>
  new RegExp(`/mail/${does}/[\\w.-]+`).exec(mail?.text ?? '')?.[0] ?? ''
