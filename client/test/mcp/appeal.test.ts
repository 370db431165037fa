import { DecisionStatement } from '@placard/contract'
import Value from 'typebox/value'
import { beforeAll, expect, test } from 'vitest'
import type { TestService } from '../../../server/test/support/service.ts'
import { sendHtml } from '../../../server/test/support/sites.ts'
import { errorOf, journalLines, newClient, runHere } from '../fixtures.ts'
import { approved, newJournal, realService } from '../real-service.ts'
import { connect, startHost } from './host.ts'

const PARKED = '<!doctype html><title>This domain is for sale</title><p>Buy this domain now.</p>'
const statement = 'It is a shop.'

let service: TestService
const started = realService()
beforeAll(() => {
  service = started()
})

/** A website that looks parked, refused, and the program that asks about it. */
async function refused(host: string) {
  service.sites.set(host, (_request, response) => sendHtml(response, PARKED))
  const journal = newJournal()
  const { decisionId = '' } = await errorOf(newClient(service.url, { journalPath: journal }).publish(approved(host)))
  const lastAppeal = () =>
    journalLines(journal)
      .map(({ appeal }) => appeal)
      .at(-1)
  return { journal, decisionId, lastAppeal }
}

test('a decision is read without approval, and appealed after the person’s yes in a form', async () => {
  const { journal, decisionId, lastAppeal } = await refused('form.com')
  const elicitation = { form: {} }
  const yes = { elicitation, answers: { action: 'accept', content: { approve: true } } } as const
  const { call, asked } = await connect(startHost(service.url, journal), { pin: '2026-07-28' }, yes)
  expect((await call('status')).value).toMatchObject({ state: 'refused', decisionId })
  const { value } = await call('decision', { decision: 'form.com' })
  expect([...Value.Errors(DecisionStatement, value)]).toEqual([])
  expect(value).toMatchObject({ id: decisionId, reason: 'parked_domain', contest: { isPossible: true } })
  expect(JSON.stringify(value)).not.toContain('[secret]')

  expect((await call('appeal', { statement: 'x'.repeat(1001) })).error).toMatchObject({
    code: 'invalid_statement',
  })
  expect(asked).toEqual([])
  const sent = await call('appeal', { statement })
  expect(sent.value).toMatchObject({ id: decisionId, appeal: { statement } })
  for (const shown of [decisionId, 'form.com', service.url, statement]) expect(asked[0]?.message).toContain(shown)
  expect(lastAppeal()).toMatchObject({ state: 'received', approval: { how: 'asked through MCP' } })
  // The second call asks no person, and changes nothing.
  expect((await call('appeal', { statement, decision: decisionId })).value).toMatchObject({
    appeal: { statement },
  })
  expect((await call('appeal', { statement: 'Another.' })).error).toMatchObject({ code: 'already_appealed' })
  expect(asked).toHaveLength(1)
  expect((await call('status')).value).toMatchObject({ appeal: { state: 'received' } })
})

test('if no person can be asked, an appeal waits for a yes to exactly this statement in a terminal', async () => {
  const { journal, decisionId, lastAppeal } = await refused('terminal.com')
  const { call } = await connect(startHost(service.url, journal), 'legacy')
  const { error } = await call('appeal', { statement, userApproved: true })
  expect(error).toMatchObject({ kind: 'usage', code: 'approval_required' })
  expect(error?.whatNext).toContain('appeal again with the same arguments')
  const [, code = ''] = /placard-agent approve (\w{8}) --journal/.exec(String(error?.whatNext)) ?? []
  const yes = { terminal: true, typed: 'terminal.com\n' }
  const approving = await runHere(['approve', code, '--journal', journal, '--approved-by', 'Ada'], yes)
  expect([approving.code, approving.stdout]).toEqual([0, expect.stringContaining('Tell the agent to appeal')])
  expect(approving.stderr).toContain(`Statement  ${statement}`)
  expect((await call('appeal', { statement: 'Another.' })).error?.code).toBe('approval_required')
  expect((await call('appeal', { statement })).value).toMatchObject({ id: decisionId, appeal: { statement } })
  const approval = { how: 'approved in the terminal', by: 'Ada' }
  expect(lastAppeal()).toMatchObject({ state: 'received', statement, approval })
})
