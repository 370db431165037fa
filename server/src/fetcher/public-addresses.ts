import { isIPv4, isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

/** IPv4: everything is public except these. */
const NOT_PUBLIC_V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32', // the platform service of one large cloud, reachable from every machine in it
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
].map(range => ipaddr.IPv4.parseCIDR(range))

/** IPv6: only this block is public, which excludes mapped, translated, local and multicast addresses, */
const PUBLIC_V6 = ipaddr.IPv6.parseCIDR('2000::/3')

/** except these parts of it. */
const NOT_PUBLIC_V6 = [
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '2620:4f:8000::/48',
  '3ffe::/16',
  '3fff::/20',
].map(range => ipaddr.IPv6.parseCIDR(range))

/** Whether we may connect to a literal address: only to a plainly spelled public unicast address. */
export function isPublicAddress(ip: string): boolean {
  if (isIPv4(ip)) {
    const address = ipaddr.IPv4.parse(ip)
    return !NOT_PUBLIC_V4.some(range => address.match(range))
  }
  if (!isIPv6(ip) || ip.includes('%')) return false
  const address = ipaddr.IPv6.parse(ip)
  return address.match(PUBLIC_V6) && !NOT_PUBLIC_V6.some(range => address.match(range)) && !isIsatap(address)
}

/** ISATAP carries an IPv4 address, which may be private, in the interface id: [02]00:5efe:a.b.c.d (RFC 5214). */
function isIsatap({ parts }: ipaddr.IPv6): boolean {
  return (parts[4] === 0 || parts[4] === 0x0200) && parts[5] === 0x5efe
}
