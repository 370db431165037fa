import { createSocket, type RemoteInfo } from 'node:dgram'
import { type Answer, decode, encode, type Packet } from 'dns-packet'
import { onTestFinished } from 'vitest'

/** Response codes of RFC 1035. */
const NOERROR = 0
export const SERVFAIL = 2
export const NXDOMAIN = 3
export const REFUSED = 5

export interface Question {
  name: string
  type: string
}

/** What to send back: records, a code, raw bytes, or nothing at all. */
export type Lie = { records?: Answer[]; code?: number; flags?: number; id?: number } | Buffer | 'silence'

export interface DnsServer {
  /** `host:port` as DNS_SERVERS has it. */
  address: string
  questions: readonly Question[]
  close(): Promise<void>
}

/** A name server on loopback (UDP) that answers each question as the test wants, true or not. */
export async function startDnsServer(answer: (question: Question, nth: number) => Lie): Promise<DnsServer> {
  const questions: Question[] = []
  const socket = createSocket('udp4')

  socket.on('message', (message: Buffer, from: RemoteInfo) => {
    const query: Packet = decode(message)
    const [question] = query.questions ?? []
    if (question === undefined) return
    questions.push({ name: question.name, type: question.type })
    const lie = answer({ name: question.name, type: question.type }, questions.length)
    if (lie === 'silence') return
    const bytes = Buffer.isBuffer(lie)
      ? lie
      : encode({
          type: 'response',
          id: lie.id ?? query.id ?? 0,
          flags: (lie.code ?? NOERROR) | 0x0180 | (lie.flags ?? 0),
          questions: [question],
          answers: lie.records ?? [],
        })
    socket.send(bytes, from.port, from.address)
  })
  await new Promise<void>(resolve => socket.bind(0, '127.0.0.1', resolve))

  return {
    address: `127.0.0.1:${socket.address().port}`,
    questions,
    close: () => new Promise(resolve => socket.close(() => resolve())),
  }
}

/** The same for the test that calls it, and no longer. */
export async function dnsServerForTest(answer: (question: Question, nth: number) => Lie): Promise<DnsServer> {
  const server = await startDnsServer(answer)
  onTestFinished(() => server.close())
  return server
}

/** Address records of one name, A or AAAA by the look of them; those of the other type are left out. */
export function addresses({ name, type }: Question, ...ips: string[]): { records: Answer[] } {
  const matching = ips.filter(ip => (type === 'AAAA') === ip.includes(':'))
  return { records: matching.map(data => ({ type: type as 'A', name, ttl: 0, data })) }
}
