import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'
import { Webhook } from 'standardwebhooks'
import { vi } from 'vitest'

export const SECRET = `whsec_${Buffer.from('the webhook of an operator, signed').toString('base64')}`

interface Event {
  type: string
  timestamp: string
  data: {
    subject: string
    text: string
    waiting: { kind: string; count: number; first: object[] }[]
  } & Record<string, unknown>
}

/** The operator's webhook. */
export async function startWebhook() {
  const heard: { headers: IncomingHttpHeaders; body: string; path: string }[] = []
  const server = createServer(async (request, response) => {
    const { headers, url: path = '' } = request
    heard.push({ headers, body: await text(request), path })
    webhook.answer(response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const webhook = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/told`,
    heard,
    /** How it answers: 204, unless set. */
    answer: (response: ServerResponse) => void response.writeHead(204).end(),
    ids: () => heard.map(({ headers }) => headers['webhook-id']),
    /** What it heard, of which each passed the check of the Standard Webhooks library. */
    events: () => heard.map(verified),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return webhook
}

/** @throws WebhookVerificationError unless the signature is right at the time the delivery says */
function verified({ headers, body }: { headers: IncomingHttpHeaders; body: string }): Event {
  vi.useFakeTimers({ toFake: ['Date'], now: Number(headers['webhook-timestamp']) * 1000 })
  try {
    return new Webhook(SECRET).verify(body, headers as Record<string, string>) as Event
  } finally {
    vi.useRealTimers()
  }
}

interface Mail {
  from: string
  to: string[]
  user: string | undefined
  /** By lower-case name. */
  headers: Map<string, string>
  /** As a program shows it that fits lines to its window. */
  text: string
  /** As other programs show it. */
  lines: string[]
}

/** The operator's mail server. It takes a user `placard` with the password `p@ss/word`. */
export async function startMailServer() {
  const mails: Mail[] = []
  const server = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    onAuth: ({ username, password }, _session, callback) =>
      username === 'placard' && password === 'p@ss/word'
        ? callback(null, { user: username })
        : callback(new Error(`wrong password ${password}`)),
    onRcptTo: ({ address }, _session, callback) => {
      const responseCode = mailServer.refuses.get(address)
      callback(responseCode === undefined ? null : Object.assign(new Error('Not now'), { responseCode }))
    },
    onData: async (stream, { envelope, user }, callback) => {
      const raw = await text(stream)
      if (mailServer.isFull) return callback(Object.assign(new Error('Mailbox full'), { responseCode: 452 }))
      const { mailFrom, rcptTo } = envelope
      mails.push({
        from: mailFrom ? mailFrom.address : '',
        to: rcptTo.map(({ address }) => address),
        user: user as string | undefined,
        ...parsed(raw),
      })
      callback()
    },
  })
  server.on('error', () => {})
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  const mailServer = {
    host: `127.0.0.1:${port}`,
    mails,
    /** Whether it takes none now. */
    isFull: false,
    /** The response code for each recipient that it does not take. */
    refuses: new Map<string, number>(),
    close: () => new Promise<void>(resolve => server.close(resolve)),
  }
  return mailServer
}

/** Reads a mail, or a part of one, that this service wrote. */
export function parsed(raw: string): Pick<Mail, 'headers' | 'text' | 'lines'> {
  const end = raw.indexOf('\r\n\r\n')
  const lines = raw
    .slice(0, end)
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
  const headers = new Map(
    lines.map(line => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
  )
  if (headers.size !== lines.length) throw new Error('a header came twice')
  const body = raw.slice(end + 4)
  const encoding = headers.get('content-transfer-encoding')
  const bytes =
    encoding === 'base64'
      ? Buffer.from(body, 'base64')
      : encoding === 'quoted-printable'
        ? Buffer.from(
            body
              .replaceAll('=\r\n', '')
              .replaceAll(/=([0-9A-F]{2})/g, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
            'latin1',
          )
        : Buffer.from(body)
  const shown = bytes.toString().split(/\r?\n/)
  const isFlowed = headers.get('content-type')?.includes('format=flowed')
  return { headers, text: isFlowed ? joined(shown) : shown.join('\n'), lines: shown }
}

/** Joins flowed lines, as RFC 3676 says. */
const joined = (lines: string[]): string =>
  lines
    .map(line => line.replace(/^ /, ''))
    .map(line => (line.endsWith(' ') && line !== '-- ' ? line : `${line}\n`))
    .join('')
    .replace(/\n$/, '')
