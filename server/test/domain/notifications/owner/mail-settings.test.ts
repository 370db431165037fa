import { afterEach, expect, it } from 'vitest'
import { RETENTION_RULES } from '../../../../src/platform/db/tables/index.ts'
import { MAIL_TABLES } from '../../../../src/platform/db/tables/mail.ts'
import { startTestService, type TestService } from '../../../support/service.ts'
import { newVisitor } from '../../../web/visitor.ts'
import { listed } from './mailed.ts'

const MAIL = { SMTP_URL: 'smtp://127.0.0.1:9', OPERATOR_MAIL_TO: 'ops@example.org' }

let service: TestService
afterEach(() => service.stop())

const textOf = (html: string) => html.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ')

/** What the operator gets is said on every site. */
const OF_OPERATOR =
  /What was sent to the operator by webhook or mail|The operator may be notified of it by mail|payers’ names, addresses, e-mail/g

it('no page mentions mail without SMTP_URL', async () => {
  service = await startTestService({ env: { TRUSTED_PROXIES: '127.0.0.1' } })
  const visitor = newVisitor(service)
  const { act, page } = await listed(service, 'quiet.com')
  const pages = [await page()]
  for (const path of ['/privacy', '/limits', '/own', '/support', '/rules', '/list', '/manage/x']) {
    pages.push((await visitor.get(path)).html)
  }
  for (const html of pages) expect(textOf(html).replace(OF_OPERATOR, '')).not.toMatch(/\be?-?mails?\b/i)
  for (const html of pages) expect(html).not.toContain('/own/mail')
  for (const path of ['/own/mail', '/mail/off/x', '/mail/confirm/x', '/mail/open/x']) {
    expect((await visitor.get(path)).status).toBe(404)
    expect((await visitor.post(path, {})).status).toBe(404)
  }
  expect((await act('mail', { address: 'jane@example.org' })).status).toBe(404)
})

it('pages say what is stored, and how often, with SMTP_URL', async () => {
  service = await startTestService({ env: { ...MAIL, TRUSTED_PROXIES: '127.0.0.1' }, jobsEveryMs: 0 })
  const visitor = newVisitor(service)
  const privacy = textOf((await visitor.get('/privacy')).html)
  const rules = RETENTION_RULES.filter(({ table }) => MAIL_TABLES.includes(table))
  expect(rules.length).toBeGreaterThan(2)
  for (const { what, kept, why } of rules) expect(privacy).toContain(`${what} ${kept} ${why}`)
  expect(privacy).toContain('An address that is not confirmed is forgotten after 24 hours')
  expect(textOf((await visitor.get('/limits')).html)).toContain('Private links asked for by mail')
  expect((await visitor.get('/own')).html).toContain('href="/own/mail"')
  expect(textOf(await (await listed(service, 'loud.com')).page())).toContain('Turn on mail')
})
