import { isIP } from 'node:net'

/** One rule of FETCH_CONNECT_TO, like curl's `--connect-to`. An empty host or a port 0 matches any. */
export interface ConnectTo {
  host: string
  port: number
  toHost: string
  toPort: number
}

const HOST = String.raw`(\[[0-9a-fA-F:.]+\]|[^:\[\]]*)`
const RULE = new RegExp(`^${HOST}:(\\d{0,5}):${HOST}:(\\d{1,5})$`)

/** Parses `HOST1:PORT1:HOST2:PORT2`. @throws Error that says what is expected */
export function parseConnectTo(text: string): ConnectTo {
  const [, host = '', port = '', toHost = '', toPort = ''] = RULE.exec(text) ?? []
  const rule = {
    host: bare(host).toLowerCase(),
    port: Number(port),
    toHost: bare(toHost),
    toPort: Number(toPort),
  }
  if (!rule.toHost || rule.port > 65_535 || rule.toPort < 1 || rule.toPort > 65_535) {
    throw new Error(`must be a list of HOST1:PORT1:HOST2:PORT2, not "${text}"`)
  }
  return rule
}

/** The first matching rule, as in curl, or undefined. */
export function findConnectTo(
  rules: readonly ConnectTo[],
  host: string,
  port: number,
): ConnectTo | undefined {
  return rules.find(
    rule => (rule.host === '' || rule.host === host) && (rule.port === 0 || rule.port === port),
  )
}

const bare = (host: string) => (isIP(host.slice(1, -1)) === 6 ? host.slice(1, -1) : host)
