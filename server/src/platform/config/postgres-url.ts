/** The only value of `target_session_attrs` with which every part of Placard can work. */
const WRITABLE = 'read-write'

/**
 * Returns DATABASE_URL once for each of its hosts, in order, as addresses that `pg` understands.
 *
 * @throws Error in one line that never repeats the value, because it may contain a password
 */
export function hostUrls(databaseUrl: string): { urls: string[]; mustBeWritable: boolean } {
  const urls = splitHosts(databaseUrl)
  const parsed = urls.map(each => URL.parse(each))
  const isAddress = parsed.every(each => each && /^postgres(ql)?:$/.test(each.protocol))
  if (!isAddress || (urls.length > 1 && parsed.some(each => !each?.hostname))) {
    throw new Error(
      'must be a postgres:// address, with special characters of the password percent-encoded; leave it unset for SQLite in DATA_DIR',
    )
  }
  const parameters = parsed[0]?.searchParams ?? new URLSearchParams()
  requireKnownTls(parameters)
  return {
    urls: parameters.has('uselibpqcompat') ? urls : urls.map(verified),
    mustBeWritable: mustBeWritable(parameters, urls.length),
  }
}

const TLS = ['ssl', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'sslnegotiation']

/** @throws Error for a parameter of another program: `pg` would ignore it, and send everything unencrypted */
function requireKnownTls(parameters: URLSearchParams): void {
  const other = [...parameters.keys()].find(name => /ssl|tls/i.test(name) && /^\w+$/.test(name) && !TLS.includes(name))
  if (other) throw new Error(`must not have ${other}: sslmode and sslrootcert encrypt the connection (docs/install.md)`)
}

/** `pg` takes these for verify-full, and prints a page of advice each time. */
const verified = (url: string): string =>
  url.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/, '$1verify-full')

/** A URL of several hosts is none to `URL`: `postgres://name:password@one:5432,two:5433/placard?…`. */
function splitHosts(databaseUrl: string): string[] {
  const [scheme = '', ...rest] = databaseUrl.split('://')
  const after = rest.join('://')
  const end = after.search(/[/?#]/)
  const [authority, tail] = end < 0 ? [after, ''] : [after.slice(0, end), after.slice(end)]
  const loginEnd = authority.lastIndexOf('@') + 1
  const [login, hosts] = [authority.slice(0, loginEnd), authority.slice(loginEnd)]
  return hosts.split(',').map(host => `${scheme}://${login}${host}${tail}`)
}

/** @throws Error if a parameter asks for what Placard cannot do */
function mustBeWritable(parameters: URLSearchParams, hosts: number): boolean {
  const attributes = parameters.get('target_session_attrs')
  if (attributes !== null && attributes !== WRITABLE) {
    throw new Error(
      `must have target_session_attrs=${WRITABLE} or none: Placard writes on every connection, and reads what it has just written`,
    )
  }
  if (parameters.has('load_balance_hosts')) {
    throw new Error('must not have load_balance_hosts: all connections go to the one server that accepts writes')
  }
  if (parameters.has('hostaddr')) throw new Error('must not have hostaddr: write the IP address as the host')
  const others = `${parameters.get('host') ?? ''}${parameters.get('port') ?? ''}`
  if (others.includes(',') || (hosts > 1 && others !== '')) {
    throw new Error('must have several hosts before the path, as in postgres://one:5432,two:5432/placard')
  }
  if (hosts > 1 && attributes === null) {
    throw new Error(`must end in ?target_session_attrs=${WRITABLE} with several hosts: only one of them accepts writes`)
  }
  return attributes !== null
}

/** Returns the hosts with their ports, to show to a person. A host among the parameters, as for a socket, wins. */
export const hostsOf = (databaseUrl: string): string =>
  hostUrls(databaseUrl)
    .urls.map(each => URL.parse(each))
    .map(url => url?.searchParams.get('host') || url?.host || process.env.PGHOST || 'localhost')
    .join(', ')
