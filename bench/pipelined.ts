import { connect } from 'node:net'

const CONNECTIONS = 16
/** How many requests each connection sends at once. The service lets 33 be under way. */
const AHEAD = 32
const STATUS = 'HTTP/1.1 '

export interface Answered {
  answered: number
  perSecond: number
  /** Of this process, per request. */
  loaderMicros: number
}

/**
 * Loads a server for some seconds with as little CPU time as Node needs: whole requests are sent ahead, and of the
 * replies only the status is read. A connection sends the next few when all of the last are answered, so each packet
 * holds as many, however the server keeps up.
 *
 * @param requestAt the nth request, as it goes over the wire
 * @throws Error on any status but the wanted
 */
export async function pipelined(
  url: string,
  requestAt: (nth: number) => string,
  { status, seconds }: { status: number; seconds: number },
): Promise<Answered> {
  const { hostname, port } = new URL(url)
  const wanted = `${STATUS}${status} `
  let sent = 0
  let answered = 0
  const cpuBefore = process.cpuUsage()
  const startedAt = performance.now()
  const endsAt = startedAt + seconds * 1000
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      const socket = connect(Number(port), hostname).setEncoding('latin1').setNoDelay()
      let underWay = 0
      let rest = ''
      const send = () => {
        underWay = AHEAD
        socket.write(Array.from({ length: AHEAD }, () => requestAt(sent++)).join(''))
      }
      send()
      for await (const chunk of socket as AsyncIterable<string>) {
        const text = rest + chunk
        let count = 0
        let from = 0
        for (let at = text.indexOf(STATUS); at >= 0; at = text.indexOf(STATUS, from)) {
          if (at + wanted.length > text.length) break
          if (!text.startsWith(wanted, at))
            throw new Error(`wanted ${status}, got ${text.slice(at, at + 300)}`)
          count++
          from = at + wanted.length
        }
        rest = text.slice(Math.max(from, text.length - wanted.length + 1))
        answered += count
        underWay -= count
        if (underWay > 0) continue
        if (performance.now() >= endsAt) break
        send()
      }
      socket.destroy()
    }),
  )
  const elapsedMs = performance.now() - startedAt
  const { user, system } = process.cpuUsage(cpuBefore)
  return { answered, perSecond: answered / (elapsedMs / 1000), loaderMicros: (user + system) / answered }
}

/** A POST with a JSON body, as it goes over the wire. */
export const postText = (path: string, body: string, headers: Record<string, string> = {}): string =>
  [
    `POST ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '',
    body,
  ].join('\r\n')
