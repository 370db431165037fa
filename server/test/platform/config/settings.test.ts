import { describe, expect, it } from 'vitest'
import { type Config, configFrom, warningsAbout } from '../../../src/platform/config/config.ts'
import type { Row } from '../../../src/platform/config/row.ts'
import { describeSettings, type Env, SETTINGS } from '../../../src/platform/config/settings.ts'
import { operateHere } from '../../support/operate.ts'

const SECRETS = {
  SERVICE_KEY: 'ab'.repeat(32),
  STRIPE_SECRET_KEY: 'sk_live_shibboleth',
  STRIPE_WEBHOOK_SECRET: 'whsec_shibboleth',
  SMTP_URL: 'smtp://placard:shibboleth@mail.example.org',
  DATABASE_URL: 'postgres://placard:shibboleth@db.example.org/placard',
}

describe('settings', () => {
  it('are all in one group, and those to decide on first are few', () => {
    const groups = describeSettings()
    expect(groups.map(({ title }) => title)).toEqual(['First', 'Often', 'Rarely', 'Tests only', 'Old names'])
    const names = groups.flatMap(({ settings }) => settings.map(({ name }) => name))
    expect(names.sort()).toEqual(Object.keys(SETTINGS).sort())
    expect(groups[0]?.settings.length).toBeLessThanOrEqual(10)
  })

  it('are marked if they are parsed to secrets', () => {
    const samples = [...Object.values(SECRETS), `whsec_${btoa('x'.repeat(32))}`, 'https://x.example/']
    const isParsedToSecret = ({ parse }: Row) =>
      samples.some(sample => {
        try {
          return JSON.stringify(parse(sample)).includes('[secret]')
        } catch {
          return false
        }
      })
    const secret = Object.entries<Row>(SETTINGS).filter(([, row]) => isParsedToSecret(row))
    expect(secret.length).toBeGreaterThan(8)
    expect(secret.filter(([, { isSecret }]) => !isSecret).map(([name]) => name)).toEqual([])
  })
})

describe('the operator’s command settings', () => {
  it('shows the value, its source and its meaning in groups, and of a secret only that it is set', async () => {
    const env = { ...SECRETS, BASE_URL: 'https://placard.example.org', OPERATOR_MAIL_TO: 'ops@example.org' }
    const { code, output } = await operateHere(env, 'settings')
    expect(code).toBe(0)
    expect(output).not.toContain('shibboleth')
    expect(output).not.toContain(SECRETS.SERVICE_KEY)
    expect(output).toMatch(/^First\. Decide on these[\s\S]*\n\nOften\. [\s\S]*\n\nRarely\. [\s\S]*\n\nTests only\. /)
    expect(output).toContain('  BASE_URL  https://placard.example.org  (environment)\n      Public address of the site')
    expect(output).toContain('  PAYMENTS  stripe  (other settings)\n')
    expect(output).toContain('  SERVICE_KEY  set  (environment)\n')
    expect(output).toContain('  PORT  8080  (default)\n')
    expect(output).toContain('See docs/operate.md#metrics.')
    expect(output).toContain('recipients of age (https://age-encryption.org)')
    expect(output).not.toContain('METRICS_HOST')
  })

  it('prints one line of JSON per setting', async () => {
    const { output } = await operateHere({ METRICS_PORT: '9464', WEB_RISK_API_KEY: 'shibboleth' }, 'settings', '--json')
    expect(output).not.toContain('shibboleth')
    const rows = output
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    const present = Object.entries<Row>(SETTINGS).filter(([, { group }]) => group !== 'old')
    expect(rows.map(({ name }) => name).sort()).toEqual(present.map(([name]) => name).sort())
    const row = (name: string) => rows.find(each => each.name === name)
    expect(row('METRICS_PORT')).toMatchObject({ group: 'rarely', value: '9464', from: 'environment', default: 'none' })
    expect(row('METRICS_LISTEN')).toMatchObject({ group: 'often', value: '127.0.0.1:9464', from: 'other settings' })
    expect(row('WEB_RISK_API_KEY')).toMatchObject({ value: 'set', from: 'environment', default: 'none' })
  })

  it('names an invalid setting after the list', async () => {
    const { code, output } = await operateHere({ PORT: 'http', METRICS_HOST: '10.0.0.5' }, 'settings')
    expect(code).toBe(1)
    expect(output).toContain('  PORT  http  (environment)\n')
    expect(output).toContain('\n\nOld names. ')
    expect(output.trim().split('\n').at(-1)).toBe('placard: PORT must be a whole number from 0 to 65535, not "http"')
  })
})

describe('a setting that was merged with another', () => {
  const MAIL = { SMTP_URL: 'smtp://mail.example.org', OPERATOR_MAIL_TO: 'ops@example.org' }
  const QUAD9 = { filtering: '9.9.9.9', plain: '9.9.9.10' }
  const merged = ({ metrics, reviewing, notifications }: Config) => ({
    metrics,
    dnsFilter: reviewing.dnsFilter,
    from: notifications.mail?.from,
  })
  const of = (env: Env) => merged(configFrom(env))

  it.each<[Env, Partial<ReturnType<typeof merged>>]>([
    [{}, { metrics: undefined, dnsFilter: QUAD9, from: undefined }],
    [{ METRICS_LISTEN: '127.0.0.1:9464' }, { metrics: { host: '127.0.0.1', port: 9464 } }],
    [{ METRICS_LISTEN: '[::1]:0' }, { metrics: { host: '::1', port: 0 } }],
    [{ METRICS_PORT: '9464' }, { metrics: { host: '127.0.0.1', port: 9464 } }],
    [{ METRICS_PORT: '1', PORT: '1', HOST: '10.0.0.5' }, { metrics: { host: '127.0.0.1', port: 1 } }],
    [{ METRICS_PORT: '0', PORT: '0' }, { metrics: { host: '127.0.0.1', port: 0 } }],
    [{ DNS_FILTER: '1.1.1.2,1.1.1.1:53' }, { dnsFilter: { filtering: '1.1.1.2', plain: '1.1.1.1:53' } }],
    [MAIL, { from: 'ops@example.org' }],
    [{ ...MAIL, SMTP_URL: `${MAIL.SMTP_URL}?from=p@example.org` }, { from: 'p@example.org' }],
  ])('has its new name without a warning: %o', (env, values) => {
    expect(of(env)).toMatchObject(values)
    expect(warningsAbout(configFrom(env), {})).toEqual([])
  })

  it.each<[Env, Partial<ReturnType<typeof merged>>, string]>([
    [
      { METRICS_PORT: '9464', METRICS_HOST: '::1' },
      { metrics: { host: '::1', port: 9464 } },
      'METRICS_HOST works until 0.4. Set METRICS_LISTEN=[::1]:9464 instead, and remove METRICS_HOST and METRICS_PORT.',
    ],
    [
      { DNS_FILTER: '1.1.1.2', DNS_FILTER_PLAIN: '1.1.1.1' },
      { dnsFilter: { filtering: '1.1.1.2', plain: '1.1.1.1' } },
      'DNS_FILTER_PLAIN works until 0.4. Set DNS_FILTER=1.1.1.2,1.1.1.1 instead, and remove DNS_FILTER_PLAIN.',
    ],
    [
      { DNS_FILTER: '9.9.9.11' },
      { dnsFilter: { filtering: '9.9.9.11', plain: '9.9.9.10' } },
      'DNS_FILTER with one resolver works until 0.4. Set DNS_FILTER=9.9.9.11,9.9.9.10 instead.',
    ],
    [
      { ...MAIL, SMTP_FROM: 'p@example.org' },
      { from: 'p@example.org' },
      'SMTP_FROM works until 0.4. Add ?from=p@example.org to SMTP_URL instead, and remove SMTP_FROM.',
    ],
    [
      { ...MAIL, SMTP_URL: 'smtp://mail.example.org?pool=true', SMTP_FROM: 'p@example.org' },
      { from: 'p@example.org' },
      'SMTP_FROM works until 0.4. Add &from=p@example.org to SMTP_URL instead, and remove SMTP_FROM.',
    ],
  ])('has its old name with one warning: %o', (env, values, warning) => {
    expect(of(env)).toMatchObject(values)
    expect(warningsAbout(configFrom(env), {})).toEqual([warning])
  })

  it.each<[Env, string]>([
    [
      { METRICS_LISTEN: '[::1]:1', METRICS_PORT: '1' },
      'METRICS_PORT must not be set, because its value is in METRICS_LISTEN',
    ],
    [
      { METRICS_LISTEN: 'a:1', METRICS_HOST: 'a' },
      'METRICS_HOST must not be set, because its value is in METRICS_LISTEN',
    ],
    [
      { DNS_FILTER: '1.1.1.2,1.1.1.1', DNS_FILTER_PLAIN: '1.1.1.1' },
      'DNS_FILTER_PLAIN must not be set, because its value is in DNS_FILTER: remove DNS_FILTER_PLAIN',
    ],
    [
      { ...MAIL, SMTP_URL: 'smtp://mail.example.org?from=a@example.org', SMTP_FROM: 'a@example.org' },
      'SMTP_FROM must not be set, because its value is in SMTP_URL: remove SMTP_FROM',
    ],
    [{ METRICS_PORT: '8080' }, 'METRICS_PORT must have another port than PORT, which is 8080'],
    [{ METRICS_LISTEN: '[::]:1', PORT: '1' }, 'METRICS_LISTEN must have another port than PORT, which is 1'],
    [{ METRICS_LISTEN: '10.0.0.5:1', PORT: '1', HOST: '0.0.0.0' }, 'METRICS_LISTEN must have another port than PORT'],
    [{ METRICS_LISTEN: '9464' }, 'METRICS_LISTEN must be HOST:PORT like 127.0.0.1:9464, not "9464"'],
    [{ METRICS_LISTEN: '127.0.0.1:99999' }, 'METRICS_LISTEN must be a whole number from 0 to 65535'],
    [{ DNS_FILTER: '1.1.1.2,1.1.1.1,1.0.0.1' }, 'DNS_FILTER must be two resolvers like 9.9.9.9,9.9.9.10'],
    [
      { ...MAIL, SMTP_URL: 'smtp://mail.example.org?from=Jane' },
      'SMTP_URL must be smtp://user:password@host:port?from=',
    ],
  ])('cannot be started wrongly: %o', (env, message) => {
    expect(() => configFrom(env)).toThrow(message)
  })
})

describe('a value that is no value', () => {
  it.each<[Env, string]>([
    // `$ONE,$TWO`, and neither is set.
    [{ REVIEWERS: ',' }, 'REVIEWERS must have something between its commas; leave it unset for the default'],
    [{ BACKUP_TO: '/backups', BACKUP_RECIPIENT: ' , ' }, 'BACKUP_RECIPIENT must have something between its commas'],
    [{ BLOCKLISTS: ',,' }, 'BLOCKLISTS must have something between its commas'],
    [{ PORT: '8080\n8081' }, 'PORT must be a whole number from 0 to 65535, not "8080 8081"'],
  ])('is refused in one line: %o', (env, message) => {
    expect(() => configFrom(env)).toThrow(message)
  })
})

describe('a value that could be read as another', () => {
  it.each<[Env, string]>([
    [{ REVIEWERS: 'phrases:flag:x' }, 'REVIEWERS must be a list of page-rules, '],
    [{ REVIEWERS: 'phrases:' }, 'REVIEWERS must be a list of page-rules, '],
    [{ REVIEWERS: 'phrases,phrases:flag' }, 'REVIEWERS must name phrases once: it either decides or only flags'],
    [
      { BASE_URL: 'https://placard.example.org.' },
      'BASE_URL must have a host like placard.example.org, without * or a',
    ],
    [{ BASE_URL: 'https://*.example.org' }, 'BASE_URL must have a host like placard.example.org, without * or a dot'],
    [{ BASE_URL: 'https://placard..org' }, 'BASE_URL must have a host like placard.example.org, without * or a dot'],
    [{ TRUSTED_PROXIES: '10/8' }, 'TRUSTED_PROXIES must be a list like 10.0.0.0/8,::1/128; "10/8" is not an address'],
    [{ TRUSTED_PROXIES: '1' }, 'TRUSTED_PROXIES must be a list like 10.0.0.0/8,::1/128; "1" is not an address'],
    [{ TRUSTED_PROXIES: '010.0.0.1' }, 'TRUSTED_PROXIES must be a list like 10.0.0.0/8,::1/128; "010.0.0.1" is not'],
    [{ DNS_SERVERS: '53' }, 'DNS_SERVERS must be a list like 127.0.0.1:53,[::1]:53, not "53"'],
    [{ SITE_NAME: '"Acme"' }, 'SITE_NAME must not have quotes around it: remove them'],
    [{ BACKUP_TO: "'/backups'" }, 'BACKUP_TO must not have quotes around it: remove them'],
    [{ WEB_RISK_API_KEY: '""' }, 'WEB_RISK_API_KEY must not have quotes around it: remove them'],
    // No shell reads the files of systemd and of containers.
    [{ DATA_DIR: '~/data' }, 'DATA_DIR must be the path of a folder, written out without ~, $ and ://, not "~/data"'],
    [{ BACKUP_TO: '$HOME/backups' }, 'BACKUP_TO must be the path of a folder, written out without ~, $ and ://, not'],
    [{ DATA_DIR: 'file:///var/lib' }, 'DATA_DIR must be the path of a folder, written out without ~, $ and ://, not'],
    [{ SUPPORT_URL: 'mailto:' }, 'SUPPORT_URL must be an http, https or mailto address, not "mailto:"'],
    [{ SUPPORT_URL: 'https:example.org/help' }, 'SUPPORT_URL must be an http, https or mailto address, not "https:ex'],
    [{ DNS_FILTER: '9.9,9.9' }, 'DNS_FILTER must be a list like 127.0.0.1:53,[::1]:53, not "9.9"'],
  ])('is refused: %o', (env, message) => {
    expect(() => configFrom(env)).toThrow(message)
  })

  it('may have quotes within', () => {
    expect(configFrom({ SITE_NAME: '"Best" of "Acme"' }).siteName).toBe('"Best" of "Acme"')
  })
})

describe('a setting of backups or object storage', () => {
  const access = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' }

  it.each<[Env, string]>([
    [{ BACKUP_TO: 'sftp://host/folder' }, 'BACKUP_TO must be s3://bucket/prefix?endpoint='],
    [{ BACKUP_TO: 's3://:secret@bucket' }, 'BACKUP_TO must be s3://bucket/prefix?endpoint=https://…&region=…, without'],
    [{ BACKUP_TO: 's3://key@bucket' }, 'BACKUP_TO must be s3://bucket/prefix?endpoint='],
    [{ BACKUP_TO: 's3://bucket:9000' }, 'BACKUP_TO must be s3://bucket/prefix?endpoint='],
    [{ BACKUP_TO: 's3://-bucket' }, 'BACKUP_TO must be s3://bucket/prefix?endpoint='],
    [{ BACKUP_TO: 's3://bucket_' }, 'BACKUP_TO must be s3://bucket/prefix?endpoint='],
    [
      { STORAGE_URL: 's3://bucket?endpoint=https://me:secret@s3.example.org' },
      'STORAGE_URL must have an endpoint like',
    ],
    [{ STORAGE_URL: 's3://bucket?endpoint=https://s3.example.org/path' }, 'STORAGE_URL must have an endpoint like'],
    [{ STORAGE_URL: 's3://bucket?endpoint=https://[' }, 'STORAGE_URL must have an endpoint like'],
    [{ BACKUP_TO: 's3://bucket/%zz' }, 'BACKUP_TO must have a prefix of letters, digits'],
    [{ BACKUP_TO: 's3://bucket?storage=1' }, 'BACKUP_TO must have no parameters but endpoint and region, not storage'],
    // Node's timers cannot wait so long.
    [{ BACKUP_TO: '/backups', BACKUP_EVERY: '15d' }, 'BACKUP_EVERY must be a time from 5s to 14d, like 6h, 30m or 5s'],
    [{ BACKUP_TO: '/backups', BACKUP_EVERY: '4s' }, 'BACKUP_EVERY must be a time from 5s to 14d'],
    [{ BACKUP_EVERY: '6h' }, 'BACKUP_TO must be set with BACKUP_EVERY'],
    [{ BACKUP_RECIPIENT: `age1${'q'.repeat(58)}` }, 'BACKUP_TO must be set with BACKUP_RECIPIENT'],
  ])('is refused if it is wrong: %o', (env, message) => {
    expect(() => configFrom({ ...access, ...env })).toThrow(message)
  })

  it.each<[Env, string]>([
    [{ AWS_SECRET_ACCESS_KEY: 'b' }, 'AWS_ACCESS_KEY_ID must be set with AWS_SECRET_ACCESS_KEY'],
    [{ AWS_ACCESS_KEY_ID: 'a' }, 'AWS_SECRET_ACCESS_KEY must be set with AWS_ACCESS_KEY_ID'],
    [{ STORAGE_URL: 's3://bucket' }, 'AWS_ACCESS_KEY_ID must be set with STORAGE_URL'],
    [{ BACKUP_TO: 's3://bucket' }, 'AWS_ACCESS_KEY_ID must be set with BACKUP_TO=s3://…'],
  ])('is refused without access: %o', (env, message) => {
    expect(() => configFrom(env)).toThrow(message)
  })

  it('may name object storage in capitals', () => {
    expect(configFrom({ ...access, BACKUP_TO: 'S3://bucket/a/b/' }).backup?.to).toMatchObject({
      bucket: 'bucket',
      prefix: 'a/b',
    })
  })
})
