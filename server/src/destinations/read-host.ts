import { isIP } from 'node:net'
import { parse } from 'tldts'
import { whyNotPublicName, withoutWww } from './hostname.ts'

/**
 * The host that somebody typed, in lower case ASCII and without `www.`, or what is wrong with it, as the end of a sentence.
 * A public suffix is no host of anybody's, nor is a name such as github.io, below which each customer has one.
 *
 * @param ownHost of this service
 */
export function readHost(raw: string, ownHost: string): { host: string } | { problem: string } {
  const text = raw.trim().toLowerCase()
  if (text === '') return { problem: 'is empty: give a host, such as evil.com' }
  if (isAddress(text)) return ADDRESS
  if (text.startsWith('*.') || text.startsWith('.')) {
    return {
      problem: `stands for what is below a host: give ${text.replace(/^\*?\./, '')} and block its subdomains, too`,
    }
  }
  // The URL parser would take the host out of all this.
  if (/[\s/@:?#%\\]/.test(text)) return { problem: `is more than a host${suggested(text)}` }
  const parsed = URL.parse(`http://${text}`)
  if (parsed === null) return { problem: 'cannot be read as a host name' }
  // A number in any spelling.
  if (isAddress(parsed.hostname)) return ADDRESS
  const host = withoutWww(parsed.hostname.replace(/\.$/, ''))
  if (host === withoutWww(ownHost.toLowerCase())) return { problem: 'is this board itself' }
  if (isSuffix(host))
    return { problem: 'is a public suffix: names below it belong to many. Give one of those' }
  const why = whyNotPublicName(host)
  return why === undefined ? { host } : { problem: why }
}

const ADDRESS = { problem: 'is an IP address: give a host name' }

const isAddress = (text: string) => isIP(text.replace(/^\[|\]$/g, '')) !== 0

function suggested(text: string): string {
  const { hostname = '' } = URL.parse(text.includes('://') ? text : `http://${text}`) ?? {}
  return whyNotPublicName(hostname) === undefined ? `: give ${hostname} alone` : ': give its name alone'
}

function isSuffix(host: string): boolean {
  const { publicSuffix, isIcann, isPrivate } = parse(host, {
    allowPrivateDomains: true,
    extractHostname: false,
  })
  return publicSuffix === host && (isIcann === true || isPrivate === true)
}
