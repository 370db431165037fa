import { BadSetting } from './row.ts'
import type { Settings } from './settings.ts'

// Settings that were merged in 0.3. Their old names work until 0.4, except METRICS_PORT, which stays.

/** Returns where metrics are served; undefined without them. @throws BadSetting if two settings collide */
export function metricsFrom({ METRICS_LISTEN: listen, METRICS_PORT: port, METRICS_HOST: host, HOST, PORT }: Settings) {
  if (listen && port !== undefined) throw both('METRICS_PORT', 'METRICS_LISTEN')
  if (listen && host !== undefined) throw both('METRICS_HOST', 'METRICS_LISTEN')
  const metrics = listen ?? (port === undefined ? undefined : { host: host ?? '127.0.0.1', port })
  const isShared = [HOST, '0.0.0.0', '::'].includes(metrics?.host ?? '') || HOST === '0.0.0.0' || HOST === '::'
  // Found here, because the port of the service opens only after the database was migrated.
  if (PORT !== 0 && metrics?.port === PORT && isShared) {
    throw new BadSetting(
      listen ? 'METRICS_LISTEN' : 'METRICS_PORT',
      `must have another port than PORT, which is ${PORT}`,
    )
  }
  return metrics
}

/** Returns a filtering resolver, and its unfiltered twin. @throws BadSetting if old and new are set */
export function dnsFilterFrom({ DNS_FILTER: given = [], DNS_FILTER_PLAIN: old }: Settings) {
  const [filtering = '9.9.9.9', plain] = given
  if (plain && old) throw both('DNS_FILTER_PLAIN', 'DNS_FILTER')
  return { filtering, plain: plain ?? old ?? '9.9.9.10' }
}

/** Returns the mail server, sender and recipients; undefined without mail. @throws BadSetting if one is missing */
export function mailFrom({ SMTP_URL: server, SMTP_FROM: old, OPERATOR_MAIL_TO: to = [] }: Settings) {
  const [first] = to
  if (server?.from && old) throw both('SMTP_FROM', 'SMTP_URL')
  if (server !== undefined && first !== undefined) return { url: server.url, from: server.from ?? old ?? first, to }
  if (server !== undefined) throw new BadSetting('OPERATOR_MAIL_TO', 'must be set with SMTP_URL')
  if (first !== undefined || old !== undefined) {
    throw new BadSetting('SMTP_URL', `must be set with ${first === undefined ? 'SMTP_FROM' : 'OPERATOR_MAIL_TO'}`)
  }
  return undefined
}

const both = (old: string, now: string) =>
  new BadSetting(old, `must not be set, because its value is in ${now}: remove ${old}`)

/** Returns a warning for each old name that is set, with what to set instead. */
export function warningsAboutOldNames(settings: Settings): string[] {
  const { METRICS_HOST: host, METRICS_PORT: port = 9464, SMTP_FROM: from, DNS_FILTER_PLAIN: plain } = settings
  const sign = settings.SMTP_URL?.hasQuery ? '&' : '?'
  const resolvers = Object.values(dnsFilterFrom(settings)).join()
  return [
    ...(host === undefined
      ? []
      : [old('METRICS_HOST', `Set METRICS_LISTEN=${hostAndPort({ host, port })}`, 'METRICS_HOST and METRICS_PORT')]),
    ...(plain === undefined ? [] : [old('DNS_FILTER_PLAIN', `Set DNS_FILTER=${resolvers}`)]),
    ...(plain === undefined && settings.DNS_FILTER?.length === 1
      ? [`DNS_FILTER with one resolver works until 0.4. Set DNS_FILTER=${resolvers} instead.`]
      : []),
    ...(from === undefined ? [] : [old('SMTP_FROM', `Add ${sign}from=${from} to SMTP_URL`)]),
  ]
}

const old = (name: string, todo: string, names = name) =>
  `${name} works until 0.4. ${todo} instead, and remove ${names}.`

/** Returns `HOST:PORT` as METRICS_LISTEN takes it. */
export const hostAndPort = ({ host, port }: { host: string; port: number }): string =>
  `${host.includes(':') ? `[${host}]` : host}:${port}`
