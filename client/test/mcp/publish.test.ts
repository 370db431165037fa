import { readdirSync, statSync } from 'node:fs'
import { EXAMPLES } from '@placard/contract'
import { beforeAll, describe, expect, test } from 'vitest'
import type { TestService } from '../../../server/test/support/service.ts'
import { journalLines, runHere } from '../fixtures.ts'
import { refuse, reply, startPeer } from '../peer.ts'
import { CATEGORY, newJournal, PRIVATE_PART, realService } from '../real-service.ts'
import { connect, MODES, startHost } from './host.ts'

let service: TestService
const started = realService()
beforeAll(() => {
  service = started()
})

let sites = 0
const newSite = () => ({ destination: `http://host-${++sites}.com/`, category: CATEGORY })
const yes = { elicitation: { form: {} }, answers: { action: 'accept', content: { approve: true } } } as const

describe.each(MODES)('in revision %s, a publish', (_version, mode) => {
  test('asks the person with all they agree to, and sends after a yes', async () => {
    const [site, journal] = [newSite(), newJournal()]
    const { call, asked } = await connect(startHost(service.url, journal), mode, yes)
    const { value } = await call('publish', site)
    expect(value).toMatchObject({
      receipt: { status: 'published', ownership: { sensitive: true } },
      replayed: false,
      journal,
      privateLinkCommand: `placard-agent link ${site.destination} --journal ${journal}`,
    })
    const { message, requestedSchema } = asked[0] ?? {}
    for (const shown of [site.destination, CATEGORY, service.url, `${service.url}/rules`, '60 days'])
      expect(message).toContain(shown)
    expect(requestedSchema).toMatchObject({ properties: { approve: { type: 'boolean' } } })
    expect(journalLines(journal)[0]).toMatchObject({ approval: { how: 'asked through MCP' } })
    expect(statSync(journal).mode & 0o777).toBe(0o600)

    // Again, it is the same receipt, and nobody is asked.
    const again = await call('publish', site)
    expect(again.value).toMatchObject({ replayed: true, receipt: { requestId: value?.receipt?.requestId } })
    expect(asked).toHaveLength(1)
    expect((await call('status', { destination: new URL(site.destination).hostname })).value).toMatchObject({
      state: 'accepted',
      receipt: { status: 'published' },
      privateLinkCommand: value?.privateLinkCommand,
    })
    // The command in the result shows the private link, to a person.
    const words = String(value?.privateLinkCommand).split(' ').slice(1)
    expect((await runHere(words, { terminal: true })).stdout).toMatch(PRIVATE_PART)
  })

  test.each([
    { action: 'decline' } as const,
    { action: 'cancel' } as const,
    { action: 'accept', content: { approve: false } } as const,
    { action: 'accept', content: {} } as const,
  ])('sends nothing after %j', async answers => {
    const journal = newJournal()
    const host = startHost(service.url, journal)
    const { call } = await connect(host, mode, { elicitation: { form: {} }, answers })
    expect((await call('publish', newSite())).error).toMatchObject({ kind: 'usage', code: 'declined' })
    expect(() => journalLines(journal)).toThrow('ENOENT')
  })

  test('sends the person to the site, and waits for their answer there', async () => {
    const [site, journal] = [newSite(), newJournal()]
    const answers = { action: 'accept' } as const
    const { call, asked } = await connect(startHost(service.url, journal), mode, { elicitation: { url: {} }, answers })
    const publishing = call('publish', site)
    await expect.poll(() => asked).toHaveLength(1)
    const { url, message, mode: kind } = asked[0] ?? {}
    expect([kind, message]).toEqual(['url', expect.stringContaining(site.destination)])
    expect(await (await fetch(String(url))).text()).toContain('“<bdi>test</bdi>”')
    await answerAt(url, 'approved')
    expect((await publishing).value).toMatchObject({ receipt: { status: 'published', approval: 'browser' } })
    expect(journalLines(journal)[0]).toMatchObject({ approval: { how: 'approved in a browser' } })
    expect((await call('publish', site)).value).toMatchObject({ replayed: true, receipt: { approval: 'browser' } })
    expect(asked).toHaveLength(1)
  })

  test('names the address of the question if the program cannot ask', async () => {
    const [site, journal] = [newSite(), newJournal()]
    const { call } = await connect(startHost(service.url, journal), mode)
    const { error } = await call('publish', { ...site, userApproved: true })
    expect(error).toMatchObject({ kind: 'usage', code: 'approval_required' })
    const [url] = /http\S+\/approve\/[\w-]{22}/.exec(String(error?.whatNext)) ?? []
    // No answer about another category counts.
    expect((await call('publish', { ...site, category: 'Games' })).error?.code).toBe('approval_required')
    await answerAt(url, 'declined')
    expect((await call('publish', site)).error?.code).toBe('declined')
    expect(() => journalLines(journal)).toThrow('ENOENT')
  })

  test('in another category than before asks nobody, and names the one of the listing', async () => {
    const [site, journal] = [newSite(), newJournal()]
    const { call, asked } = await connect(startHost(service.url, journal), mode, yes)
    await call('publish', site)
    const { error } = await call('publish', { ...site, category: 'Games' })
    expect(error).toMatchObject({ code: 'other_category', error: expect.stringContaining(`"${CATEGORY}"`) })
    expect(asked).toHaveLength(1)
  })
})

/** The person answers on the page of the site. */
async function answerAt(url: unknown, answer: string) {
  const headers = { 'sec-fetch-site': 'same-origin' }
  const sent = await fetch(String(url), { method: 'POST', headers, body: new URLSearchParams({ answer }) })
  expect(sent.status).toBe(200)
}

test('if the site has no such page, a publish waits for a yes in a terminal', async () => {
  const [site, journal] = [newSite(), newJournal()]
  const peer = await startPeer(refuse(404, 'not_found'))
  const { call } = await connect(startHost(peer.url, journal, { args: ['--wait', '0'] }), 'legacy')
  const { error } = await call('publish', site)
  const [, code = ''] = /placard-agent approve (\w{8}) --journal/.exec(String(error?.whatNext)) ?? []
  // Asked again, it has the same code, and no yes of another site or category counts.
  expect((await call('publish', site)).error?.whatNext).toBe(error?.whatNext)
  const words = ['approve', code, '--journal', journal, '--approved-by', 'Ada']
  const typed = `${new URL(site.destination).hostname}\n`
  const { code: exit, stderr } = await runHere(words, { terminal: true, typed })
  expect([exit, stderr]).toEqual([0, expect.stringContaining(`Destination  ${site.destination}`)])
  expect((await call('publish', newSite())).error?.code).toBe('approval_required')
  expect((await call('publish', { ...site, category: 'Games' })).error?.code).toBe('approval_required')
  expect((await call('publish', site)).error?.code).toBe('not_found')
  expect(journalLines(journal)[0]).toMatchObject({ approval: { how: 'approved in the terminal', by: 'Ada' } })
  // Both others still wait.
  expect(readdirSync(`${journal}.approvals`).filter(name => name.endsWith('.approved'))).toEqual([])
})

test('asks again if the site no longer keeps the first request', async () => {
  const asked = reply(201, EXAMPLES.approval.example)
  const peer = await startPeer(asked, refuse(404, 'not_found'), asked)
  const { call } = await connect(startHost(peer.url, newJournal()), 'legacy')
  const site = newSite()
  for (let time = 0; time < 2; time++) expect((await call('publish', site)).error?.code).toBe('approval_required')
  expect(peer.arrivals.map(({ method }) => method)).toEqual(['POST', 'GET', 'POST'])
})

test('if the site takes no more questions, says what to do now, and when it may be asked again', async () => {
  const limited = refuse(429, 'rate_limited', { retryAfterSeconds: 600 })
  const peer = await startPeer(limited)
  const { call } = await connect(startHost(peer.url, newJournal()), 'legacy')
  const error = (await call('publish', newSite())).error
  expect(error).toMatchObject({
    code: 'approval_required',
    error:
      'Nothing was published: the customer must agree, and the site cannot ask them in a browser now (rate_limited).',
    whatNext: expect.stringMatching(
      /terminal: placard-agent approve .* publish again after .* UTC, to ask in a browser\.$/,
    ),
  })
  // A program with forms asks the person itself.
  const asking = await connect(startHost(peer.url, newJournal()), 'legacy', { elicitation: { url: {}, form: {} } })
  expect((await asking.call('publish', newSite())).error?.code).toBe('declined')
  expect(asking.asked).toHaveLength(1)
})

test('what the site refuses to ask about is an error, and no question', async () => {
  const journal = newJournal()
  const { call } = await connect(startHost(service.url, journal), 'legacy')
  expect((await call('publish', { ...newSite(), category: 'Unheard of' })).error).toMatchObject({
    code: 'unknown_category',
    whatNext: 'Change what the message names, then try again.',
  })
  const site = newSite()
  const elsewhere = await connect(startHost(service.url, newJournal()), 'legacy', yes)
  await elsewhere.call('publish', site)
  expect((await call('publish', site)).error).toMatchObject({
    code: 'destination_already_listed',
    whatNext: expect.stringMatching(/^If you published it from another machine, /),
  })
})

describe('a model that says its customer agreed', () => {
  const settings = [{ args: ['--trust-model'] }, { env: { PLACARD_TRUST_MODEL: '1' } }]

  test.each(settings)('is believed where the person has set it: %j', async setting => {
    const [site, journal] = [newSite(), newJournal()]
    const { call } = await connect(startHost(service.url, journal, setting), 'legacy')
    expect((await call('publish', site)).error?.code).toBe('approval_required')
    const { value } = await call('publish', { ...site, userApproved: true })
    expect(value).toMatchObject({ receipt: { status: 'published' } })
    const approval = { how: 'the model’s word, as set by the person' }
    expect(journalLines(journal)[0]).toMatchObject({ approval })
  })

  test('is not believed otherwise', async () => {
    const host = startHost(service.url, newJournal(), { env: { PLACARD_TRUST_MODEL: '0' } })
    const answers = { action: 'decline' } as const
    const { call, asked } = await connect(host, 'legacy', { elicitation: { form: {} }, answers })
    expect((await call('publish', { ...newSite(), userApproved: true })).error?.code).toBe('declined')
    expect(asked).toHaveLength(1)
  })
})

test('a yes counts for nothing but what was shown', async () => {
  const [site, other, journal] = [newSite(), newSite(), newJournal()]
  const host = startHost(service.url, journal)
  let id = 0
  const call = (args: object, more: object = {}) => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
      'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
    }
    const params = { name: 'publish', arguments: args, ...more, _meta }
    host.send({ jsonrpc: '2.0', id: ++id, method: 'tools/call', params })
    return host.answer(id)
  }
  const inputResponses = { answer: { action: 'accept', content: { approve: true } } }
  const asked = await call(site)
  expect(asked.result).toMatchObject({ resultType: 'input_required' })
  const { requestState } = asked.result ?? {}
  for (const [args, state] of [
    [other, requestState],
    // Used up by the wrong call.
    [site, requestState],
    [site, 'made-up'],
    [site, undefined],
  ]) {
    const { result } = await call(args as object, {
      inputResponses,
      ...(state ? { requestState: state } : {}),
    })
    expect(result).toMatchObject({ resultType: 'input_required' })
  }
  expect(() => journalLines(journal)).toThrow('ENOENT')
})
