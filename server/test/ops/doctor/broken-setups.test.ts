import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import tls from 'node:tls'
import { SMTPServer } from 'smtp-server'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Finding, findingsOf } from '../../../src/ops/doctor/finding.ts'
import type { Env } from '../../../src/platform/config/settings.ts'
import { SECRET, startMailServer, startWebhook } from '../../domain/notifications/operator/stand-ins.ts'
import {
  type Authority,
  daysFromNow,
  type KeyAndCertificate,
  makeAuthority,
  selfSigned,
} from '../../support/certificates.ts'
import { startDnsServer } from '../../support/dns-server.ts'
import { operateHere } from '../../support/operate.ts'
import { startTestService, type TestService } from '../../support/service.ts'

describe('placard doctor, where something is broken,', () => {
  const trusted = tls.getCACertificates('default')
  let authority: Authority
  let service: TestService
  let env: Env
  const open: (() => unknown)[] = []
  beforeAll(async () => {
    authority = await makeAuthority()
    tls.setDefaultCACertificates([...trusted, authority.cert])
    service = await startTestService()
    service.clock.now = Date.now()
    const dns = await startDnsServer(({ name, type }) => ({
      records: type === 'A' ? [{ name, type: 'A', ttl: 60, data: '93.184.216.34' }] : [],
    }))
    env = { ...service.database.env, PORT: new URL(service.url).port, DNS_SERVERS: dns.address }
  })
  afterEach(async () => {
    for (const close of open.splice(0)) await close()
  })
  afterAll(async () => {
    tls.setDefaultCACertificates(trusted)
    await service.stop()
  })

  /** The lines that are not ok. */
  async function problems(others: Env) {
    const { output } = await operateHere({ ...env, ...others }, 'doctor', '--json')
    const { findings } = JSON.parse(output) as { findings: Finding[] }
    // The site has no notifications, and other addresses than the one of its log. A busy machine's DNS and disk are slow.
    const isExpected = ({ says }: Finding) =>
      /^(reports and warnings are not sent|it is named .*\/log,|.* takes [\d.]+ ms[:,])/.test(says)
    return findings
      .filter(each => each.state !== 'ok' && !isExpected(each))
      .map(({ about, state, says }) => `${state} ${about}: ${says}`)
  }
  const listening = async (server: ReturnType<typeof createServer> | ReturnType<typeof createTlsServer>) => {
    await once(server.listen(0, '127.0.0.1'), 'listening')
    open.push(() => {
      server.closeAllConnections()
      server.close()
    })
    return (server.address() as AddressInfo).port
  }
  const withTls = (certificate: KeyAndCertificate, answer: RequestListener) =>
    listening(createTlsServer(certificate, answer))

  it('says in one line that the database is dead, and what to do', async () => {
    const dead = 'postgres://placard:hidden@127.0.0.1:1/placard'
    const found = await problems({ DATABASE_URL: dead, SERVICE_KEY: 'ab'.repeat(32) })
    expect(found).toEqual([
      expect.stringMatching(/^failed database: PostgreSQL cannot be used \(.*ECONNREFUSED.*check whether it runs/),
    ])
    expect(found.join()).not.toContain('hidden')
  })

  it('says in one line that DATA_DIR is missing', async () => {
    const none = join(service.database.dataDir, 'none')
    // In a new folder, nothing runs either.
    for (const port of [{}, { PORT: '1' }]) {
      expect(await problems({ DATA_DIR: none, ...port })).toEqual([
        expect.stringMatching(
          /^failed database: there is no database in DATA_DIR .* start a new site with “npm run placard -- serve”$/,
        ),
      ])
    }
  })

  it('says in one line that the database cannot be looked for, and not that there is none', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'placard-closed-'))
    open.push(() => {
      chmodSync(dataDir, 0o700)
      rmSync(dataDir, { recursive: true })
    })
    symlinkSync('placard.db', join(dataDir, 'placard.db'))
    const why = `the database in DATA_DIR ${dataDir} cannot be opened: ELOOP`
    expect(await problems({ DATA_DIR: dataDir, PORT: '1' })).toContainEqual(
      expect.stringContaining(`failed database: ${why}`),
    )
    const { code, output } = await operateHere({ ...env, DATA_DIR: dataDir }, 'list')
    expect([code, output]).toEqual([1, expect.stringMatching(/^placard: [^\n]+\n$/)])
    expect(output).toContain(why)
    // Root can enter every folder.
    if (process.getuid?.() === 0) return
    chmodSync(dataDir, 0)
    expect((await operateHere({ ...env, DATA_DIR: dataDir }, 'list')).output).toMatch(
      /cannot be opened: EACCES.* Let the user that runs Placard read and write there\n$/,
    )
  })

  it('says in one line that the service is not there', async () => {
    expect(await problems({ PORT: '1' })).toEqual([expect.stringMatching(/^failed address: .*is the service running/)])
  })

  it('says that the mail server refuses the password, without the password, and sends nothing', async () => {
    const server = await startMailServer()
    open.push(server.close)
    const mail = { OPERATOR_MAIL_TO: 'ops@example.org' }
    const [found, ...others] = await problems({ ...mail, SMTP_URL: `smtp://placard:wrong-one@${server.host}` })
    expect(found).toMatch(
      /^failed mail: no mail can be sent through 127.*refused the user or password.*check SMTP_URL$/,
    )
    expect([others, found]).toEqual([[], expect.not.stringContaining('wrong-one')])
    expect(await problems({ ...mail, SMTP_URL: `smtp://placard:p%40ss%2Fword@${server.host}` })).toEqual([])
    expect(server.mails).toEqual([])
  })

  it('says that the logo is gone, with which the next start would fail', async () => {
    expect(await problems({ SITE_LOGO: '/dev/null/logo.svg' })).toEqual([
      expect.stringMatching(/^failed settings: SITE_LOGO cannot be read: ENOTDIR/),
    ])
  })

  it('says that there is no mail server', async () => {
    const found = await problems({ OPERATOR_MAIL_TO: 'ops@example.org', SMTP_URL: 'smtp://127.0.0.1:1' })
    expect(found).toEqual([expect.stringMatching(/^failed mail: no mail can be sent through 127\.0\.0\.1:1 /)])
  })

  it('says that smtp:// and smtps:// are mixed up', async () => {
    const server = await startMailServer()
    open.push(server.close)
    const mail = { OPERATOR_MAIL_TO: 'ops@example.org' }
    expect(await problems({ ...mail, SMTP_URL: `smtps://${server.host}` })).toEqual([
      expect.stringMatching(
        /^failed mail: [^(]*\(this port does not begin with TLS: use smtp:\/\/, [^)]*\): check SMTP_URL$/,
      ),
    ])
    const port = await withTls(await selfSigned('localhost'), () => {})
    expect(await problems({ ...mail, SMTP_URL: `smtp://127.0.0.1:${port}` })).toEqual([
      expect.stringMatching(
        /^failed mail: [^(]*\(the server sends no greeting: [^)]* use smtps:\/\/\): check SMTP_URL$/,
      ),
    ])
  })

  it('says that the certificate of the mail server ends soon, after STARTTLS', async () => {
    const server = new SMTPServer({ ...(await authority.issue('localhost')), authOptional: true })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    open.push(() => new Promise<void>(resolve => server.close(resolve)))
    const { port } = server.server.address() as AddressInfo
    const url = `smtp://localhost:${port}?requireTLS=true`
    const found = await problems({ OPERATOR_MAIL_TO: 'ops@example.org', SMTP_URL: url })
    // It was issued for eight days, so a third of that is left only later.
    expect(found).toEqual([])
    server.updateSecureContext(await authority.issue('localhost', { notAfter: daysFromNow(2) }))
    expect(await problems({ OPERATOR_MAIL_TO: 'ops@example.org', SMTP_URL: url })).toEqual([])
    const ending = await authority.issue('localhost', { notBefore: daysFromNow(-20), notAfter: daysFromNow(3) })
    server.updateSecureContext(ending)
    expect(await problems({ OPERATOR_MAIL_TO: 'ops@example.org', SMTP_URL: url })).toEqual([
      expect.stringMatching(/^warning mail: the certificate of the mail server ends on \d{4}-\d\d-\d\d: find out why/),
    ])
    server.updateSecureContext(await selfSigned('localhost'))
    expect(await problems({ OPERATOR_MAIL_TO: 'ops@example.org', SMTP_URL: url })).toEqual([
      expect.stringMatching(
        /^failed mail: [^(]*\(self-signed certificate\): check SMTP_URL\. If .* NODE_EXTRA_CA_CERTS$/,
      ),
    ])
    // As Debian's Postfix has it.
    const here = `smtp://localhost:${port}`
    expect(await problems({ OPERATOR_MAIL_TO: 'ops@example.org', SMTP_URL: here })).toEqual([])
  })

  it('says that the webhook refuses the message, which is signed and asks for nothing', async () => {
    const webhook = await startWebhook()
    open.push(webhook.close)
    const set = { OPERATOR_WEBHOOK_URL: webhook.url, OPERATOR_WEBHOOK_SECRET: SECRET }
    expect(await problems(set)).toEqual([])
    expect(webhook.events()).toEqual([
      { type: 'operator.test', timestamp: expect.any(String), data: expect.objectContaining({ waiting: [] }) },
    ])
    webhook.answer = response => void response.writeHead(401).end()
    expect(await problems(set)).toEqual([
      expect.stringMatching(
        /^failed webhook: .*OPERATOR_WEBHOOK_URL answered 401\): check OPERATOR_WEBHOOK_URL, its secret/,
      ),
    ])
    expect(await problems({ ...set, OPERATOR_WEBHOOK_URL: 'http://127.0.0.1:1/told' })).toEqual([
      expect.stringMatching(/^failed webhook: .*fetch failed/),
    ])
  })

  it('says that the certificate of the webhook has ended, or ends soon', async () => {
    const answers = async (notAfter: Date) => {
      const certificate = await authority.issue('localhost', { notBefore: daysFromNow(-25), notAfter })
      const port = await withTls(certificate, (_request, response) => void response.writeHead(204).end())
      return problems({ OPERATOR_WEBHOOK_URL: `https://localhost:${port}/`, OPERATOR_WEBHOOK_SECRET: SECRET })
    }
    expect(await answers(daysFromNow(-1))).toEqual([
      expect.stringMatching(/^failed webhook: .*certificate has expired/),
    ])
    expect(await answers(daysFromNow(3))).toEqual([
      expect.stringMatching(/^warning webhook: the certificate of the webhook ends/),
    ])
  })

  it('says in one line that the certificate of the site has ended, is another’s, or ends soon', async () => {
    const site = async (certificate: KeyAndCertificate) => {
      // A proxy, as it would stand in front of the service.
      const port = await withTls(certificate, async (request, response) => {
        const { method = '', headers } = request
        const body = await text(request)
        const reply = await fetch(`${service.url}${request.url}`, {
          method,
          headers: { 'content-type': headers['content-type'] ?? 'text/plain' },
          ...(method === 'POST' && { body }),
        })
        const ratelimit = reply.headers.get('ratelimit') ?? ''
        response.writeHead(reply.status, { ratelimit, date: new Date().toUTCString() }).end(await reply.text())
      })
      return problems({ BASE_URL: `https://localhost:${port}`, TRUSTED_PROXIES: '127.0.0.1' })
    }
    const since = { notBefore: daysFromNow(-25) }
    expect(await site(await authority.issue('localhost', { ...since, notAfter: daysFromNow(-1) }))).toEqual([
      expect.stringMatching(/^failed certificate: the certificate of the site ended on .*: renew it/),
    ])
    expect(await site(await authority.issue('other.example'))).toEqual([
      expect.stringMatching(/^failed certificate: clients refuse the certificate of the site \(.*\): install one/),
    ])
    const found = await site(await authority.issue('localhost', { ...since, notAfter: daysFromNow(3) }))
    expect(found[0]).toMatch(/^warning certificate: the certificate of the site ends on /)
  })

  it('says how to trust an authority of your own, of the site, object storage and the webhook', async () => {
    const port = await withTls(await selfSigned('localhost'), (_, response) => void response.writeHead(204).end())
    const there = `https://localhost:${port}`
    const access = { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' }
    const found = await problems({
      ...{ BASE_URL: there, TRUSTED_PROXIES: '127.0.0.1', BACKUP_TO: `s3://board?endpoint=${there}`, ...access },
      ...{ OPERATOR_WEBHOOK_URL: `${there}/`, OPERATOR_WEBHOOK_SECRET: SECRET },
    })
    const advice = 'If an authority of your own issued its certificate, .* NODE_EXTRA_CA_CERTS$'
    expect(found).toEqual([
      expect.stringMatching(`^failed backup: ${there} has a certificate that is not trusted .*${advice}`),
      expect.stringMatching(`^failed certificate: clients refuse .*${advice}`),
      expect.stringMatching(`^failed webhook: .*self-signed certificate.*${advice}`),
    ])
  })

  it('says which reviewer gives no opinion, and whether that stops publishing', async () => {
    const remote = { WEB_RISK_API_KEY: 'key', WEB_RISK_API_URL: 'http://127.0.0.1:1' }
    expect(await problems({ ...remote, REVIEWERS: 'page-rules,web-risk' })).toEqual([
      expect.stringMatching(
        /^failed reviewers: web-risk gives no opinion \(.*\), so no new website can be listed: check/,
      ),
    ])
    expect(await problems({ ...remote, REVIEWERS: 'page-rules,web-risk:flag' })).toEqual([
      expect.stringMatching(/^warning reviewers: web-risk gives no opinion .* without its opinion/),
    ])
    const port = await listening(
      createServer((_request, response) => response.end('{"threat":{"threatTypes":["MALWARE"]}}')),
    )
    const objecting = { WEB_RISK_API_KEY: 'key', WEB_RISK_API_URL: `http://127.0.0.1:${port}` }
    expect(await problems({ ...objecting, REVIEWERS: 'web-risk' })).toEqual([
      expect.stringMatching(/^warning reviewers: web-risk has an objection to https:\/\/www.iana.org\/ \(malicious\)/),
    ])
    expect(await problems({ REVIEWERS: 'web-risk' })).toEqual([
      expect.stringMatching(/^failed reviewers: WEB_RISK_API_KEY/),
    ])
  })

  it('says in one line that DNS does not answer, although reviewers and the mail server need it', async () => {
    const found = await problems({
      DNS_SERVERS: '127.0.0.1:1',
      REVIEWERS: 'page-rules,dns-blocklists',
      DNS_BLOCKLISTS: 'dbl.spamhaus.org',
      OPERATOR_MAIL_TO: 'ops@example.org',
      SMTP_URL: 'smtp://mail.invalid',
    })
    expect(found).toEqual([expect.stringMatching(/^failed DNS: 127\.0\.0\.1:1 does not answer/)])
  })

  it('says that the clock of this machine differs from the one of Stripe', async () => {
    const early = new Date(Date.now() - 3_600_000).toUTCString()
    const port = await listening(
      createServer((_request, response) => response.writeHead(401, { date: early }).end('{}')),
    )
    const stripe = {
      PAYMENTS: 'stripe',
      STRIPE_SECRET_KEY: `sk_live_${'a'.repeat(24)}`,
      STRIPE_WEBHOOK_SECRET: `whsec_${'a'.repeat(32)}`,
    }
    expect(await problems({ ...stripe, STRIPE_API_URL: `http://127.0.0.1:${port}` })).toEqual([
      expect.stringMatching(/^failed clock: this machine's clock is 3[56]\d\d s away from Stripe's: let NTP/),
      expect.stringMatching(/^failed payments: /),
    ])
  })

  it('gives up on a check that never ends', async () => {
    const never = { about: 'thing', maxMs: 1, run: () => new Promise<never>(() => {}) }
    expect(await findingsOf([never])).toEqual([
      { about: 'thing', state: 'failed', says: expect.stringMatching(/^this check has no result/) },
    ])
  })
})
