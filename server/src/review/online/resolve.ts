import { promises as dns } from 'node:dns'

/**
 * The IPv4 addresses of a name, asked of the given resolvers; none if it exists without. Undefined if there is no such
 * name.
 *
 * @throws Error if nobody can tell
 */
export async function addressesOf(
  name: string,
  servers: readonly string[],
  signal: AbortSignal,
): Promise<string[] | undefined> {
  const resolver = new dns.Resolver({ timeout: 1_000, tries: 1 })
  if (servers.length > 0) resolver.setServers(servers)
  const cancel = () => resolver.cancel()
  signal.addEventListener('abort', cancel)
  try {
    // The dot at the end keeps the machine's own search domains out.
    return await resolver.resolve4(`${name}.`)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOTFOUND') return undefined
    if (code === 'ENODATA') return []
    throw new Error(`the resolver did not answer: ${code}`)
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}
