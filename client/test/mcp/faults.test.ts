import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { TestService } from '../../../server/test/support/service.ts'
import { credentialsOf, journalLines, RECEIPT } from '../fixtures.ts'
import { answer, refuse, reply, startPeer, stayMute } from '../peer.ts'
import { CATEGORY, newJournal, realService } from '../real-service.ts'
import { connect, MODES, startHost, startHostProcess } from './host.ts'

let service: TestService
const started = realService()
beforeAll(() => {
  service = started()
})

const site = { destination: 'https://shop.dev/', category: CATEGORY, userApproved: true }
const trusting = { env: { PLACARD_TRUST_MODEL: '1' } }
const accept = reply(201, RECEIPT)

describe.each(MODES)('in revision %s', (_version, mode) => {
  test('a host that kills it mid-call finds the same submission again', { tags: ['programs'] }, async () => {
    const journal = newJournal()
    const peer = await startPeer(stayMute, accept)
    const first = startHostProcess(peer.url, journal, trusting)
    const { call } = await connect(first, mode)
    void call('publish', site).catch(() => {})
    await expect.poll(() => peer.arrivals.length).toBe(1)
    first.child.kill('SIGKILL')
    expect(await first.ended).toBe('SIGKILL')

    // Nobody is asked again, since the yes is in the journal.
    const next = await connect(startHost(peer.url, journal), mode)
    expect((await next.call('status')).value).toMatchObject({ state: 'accepted' })
    expect((await next.call('publish', site)).value).toMatchObject({ receipt: { status: 'published' } })
    const sent = new Set(peer.arrivals.map(arrival => JSON.stringify(credentialsOf(arrival))))
    expect([peer.arrivals.length, sent.size]).toEqual([3, 1])
  })

  test('a publish that must wait answers while the host still listens', async () => {
    const peer = await startPeer(refuse(503, 'review_unavailable', { reason: 'site_slow' }, { 'retry-after': '35' }))
    const { call } = await connect(startHost(peer.url, newJournal(), trusting), mode)
    expect((await call('publish', site)).error).toMatchObject({ code: 'review_unavailable', retryAfterSeconds: 35 })
    expect(peer.arrivals).toHaveLength(1)
  })

  test('a cancelled publish can be resumed', async () => {
    const journal = newJournal()
    const peer = await startPeer(stayMute, accept)
    const { call } = await connect(startHost(peer.url, journal, trusting), mode)
    const cancel = new AbortController()
    const cancelled = expect(call('publish', site, { signal: cancel.signal })).rejects.toThrow()
    await expect.poll(() => peer.arrivals.length).toBe(1)
    cancel.abort()
    await cancelled
    await expect.poll(() => journalLines(journal)[1]).toMatchObject({ state: 'unknown', code: 'aborted' })
    expect((await call('publish', site)).value).toMatchObject({ receipt: { status: 'published' } })
    const [one, other] = peer.arrivals.map(credentialsOf)
    expect(one).toEqual(other)
  })

  test('the end of stdin ends it, also in the middle of a call', { tags: ['programs'] }, async () => {
    const journal = newJournal()
    const peer = await startPeer(stayMute)
    const host = startHostProcess(peer.url, journal, trusting)
    const { call } = await connect(host, mode)
    void call('publish', site).catch(() => {})
    await expect.poll(() => peer.arrivals.length).toBe(1)
    host.stdin.end()
    expect(await host.ended).toBe(0)
    expect(journalLines(journal)).toMatchObject([{ type: 'submission' }, { state: 'unknown' }])
  })

  test.each([
    ['a huge argument', 'publish', { ...site, destination: `https://${'a'.repeat(2 ** 20)}.dev` }, 'body_too_large'],
    ['an unknown argument', 'quote', { ...site, secret: 'x' }, 'invalid_body'],
    ['a missing argument', 'publish', {}, 'invalid_destination'],
    ['a wrong type', 'publish', { ...site, category: 7 }, 'unknown_category'],
    ['a misspelt category', 'check', { ...site, category: 'gmaes', userApproved: undefined }, 'unknown_category'],
    ['no https://', 'publish', { ...site, destination: 'shop.dev' }, 'invalid_destination'],
    ['a submission nobody made', 'status', { destination: 'other.dev' }, 'unknown_submission'],
  ])('refuses %s before anything is sent', async (_what, tool, args, code) => {
    const peer = await startPeer(accept)
    const { call } = await connect(startHost(peer.url, newJournal()), mode)
    const { error } = await call(tool, args)
    expect(error).toMatchObject({ kind: 'usage', code, whatNext: expect.any(String) })
    expect(peer.arrivals).toEqual([])
    expect((await call('status')).error?.code).toBe('unknown_submission')
  })

  test('names only tools and arguments that it has', async () => {
    const { call } = await connect(startHost(service.url, newJournal(), trusting), mode)
    const { error } = await call('events', { destination: 'other.dev' })
    expect(error?.whatNext).toMatch(/^If it .* run `placard-agent import` .* Otherwise, publish it\.$/)
    expect((await call('search')).error).toMatchObject({
      field: 'query',
      error: expect.stringMatching(/^query is missing\. /),
    })
  })

  test('a refusal of the board is an error that says what to do', async () => {
    const peer = await startPeer(refuse(422, 'review_rejected', { reason: 'empty_page' }))
    const { call } = await connect(startHost(peer.url, newJournal(), trusting), mode)
    expect((await call('publish', site)).error).toMatchObject({
      kind: 'refused',
      code: 'review_rejected',
      reason: 'empty_page',
      status: 422,
      whatNext: expect.stringContaining('publish again'),
    })
  })

  test('names the tools to who calls another', async () => {
    const { client } = await connect(startHost(service.url, newJournal()), mode)
    await expect(client.callTool({ name: 'pay', arguments: {} })).rejects.toThrow(
      'Unknown tool "pay". There are: capabilities, check, quote, publish, status, events, decision, appeal, search, draw.',
    )
  })

  test('a private link in a search is refused and not repeated', async () => {
    const { call } = await connect(startHost(service.url, newJournal()), mode)
    const { error } = await call('search', { query: `${service.url}/manage/x#owner=hidden` })
    expect(error).toMatchObject({ kind: 'refused', code: 'invalid_body', field: 'query' })
  })
})

test('secrets that a board repeats where no contract has them stay out of results', async () => {
  const journal = newJournal()
  const peer = await startPeer((response, { headers }) => {
    const notice = `${headers['x-submission-secret']} https://board.dev/manage/x#owner=${'t'.repeat(43)}`
    return reply(201, { ...RECEIPT, notice, extra: notice })(response, { headers } as never)
  })
  const { call } = await connect(startHost(peer.url, journal, trusting), 'legacy')
  const { value } = await call('publish', site)
  expect(value?.receipt?.notice).toBe('[secret] https://board.dev/manage/x[secret]')
})

const meta = (version: string) => ({
  'io.modelcontextprotocol/protocolVersion': version,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
})

test('a page of the site that is far too large is not read to its end', async () => {
  const peer = await startPeer(answer(200, 'text/markdown', 'x'.repeat(3 * 1024 * 1024)))
  const { client } = await connect(startHost(peer.url, newJournal()), 'legacy')
  await expect(client.readResource({ uri: `${peer.url}/agent-guide.md` })).rejects.toThrow('cannot be reached now')
})

test('an unknown revision is refused with those that are served, first or later', async () => {
  const host = startHost(service.url, newJournal())
  const list = (id: number, version: string) => {
    host.send({ jsonrpc: '2.0', id, method: 'tools/list', params: { _meta: meta(version) } })
    return host.answer(id)
  }
  const refused = { code: -32_022, data: { supported: ['2026-07-28'], requested: '2999-01-01' } }
  expect((await list(1, '2999-01-01')).error).toMatchObject(refused)
  expect((await list(2, '2026-07-28')).result?.tools).toHaveLength(10)
  expect((await list(3, '2999-01-01')).error).toMatchObject(refused)
  expect((await list(4, '2026-07-28')).result?.tools).toHaveLength(10)
})

test('an unknown revision in a handshake is answered with the newest of its kind', async () => {
  const host = startHost(service.url, newJournal())
  const params = { protocolVersion: '1999-01-01', capabilities: {}, clientInfo: { name: 'x', version: '1' } }
  host.send({ jsonrpc: '2.0', id: 1, method: 'initialize', params })
  expect((await host.answer(1)).result).toMatchObject({ protocolVersion: '2025-11-25' })
})

test('what is no message is passed over', async () => {
  const host = startHost(service.url, newJournal())
  host.stdin.write('{"jsonrpc":"1.0"}\n[]\n\n')
  host.send({ jsonrpc: '2.0', id: 2, method: 'tools/list', params: { _meta: meta('2026-07-28') } })
  expect((await host.answer(2)).result?.tools).toHaveLength(10)
  expect(host.stdout().split('\n')).toHaveLength(2)
})

test.each([
  ['not JSON', 'nonsense', -32_700, 'Not valid JSON.'],
  ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32_600, 'Not a JSON-RPC message but a batch.'],
])('a line that is %s is answered with the error for it', async (_what, line, code, message) => {
  const host = startHost(service.url, newJournal())
  host.stdin.write(`${line}\n`)
  host.send({ jsonrpc: '2.0', id: 2, method: 'tools/list', params: { _meta: meta('2026-07-28') } })
  expect((await host.answer(2)).result?.tools).toHaveLength(10)
  const answers = host
    .stdout()
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))
  expect(answers.filter(({ error }) => error)).toEqual([
    { jsonrpc: '2.0', error: { code, message: expect.stringContaining(message) } },
  ])
})

test('without a home folder, the receipt comes with the command for the private link', async () => {
  vi.stubEnv('HOME', '')
  onTestFinished(() => void vi.unstubAllEnvs())
  const journal = newJournal()
  const { call } = await connect(startHost((await startPeer(accept)).url, journal, trusting), 'legacy')
  const { value } = await call('publish', site)
  expect(value?.privateLinkCommand).toContain(` --journal ${journal}`)
})

test('a message with a line separator of Unicode is one message', async () => {
  const host = startHost(service.url, newJournal())
  const params = { name: 'check', arguments: { destination: 'x\u2028y\u2029z', category: CATEGORY } }
  host.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { ...params, _meta: meta('2026-07-28') } })
  expect((await host.answer(1)).result).toMatchObject({ isError: true })
  expect(host.stdout().split('\n')).toHaveLength(2)
})

test.each([[null], [7], ['x'], [[]]])('a request whose params are %j is refused', async params => {
  const host = startHost(service.url, newJournal())
  host.send({ jsonrpc: '2.0', id: 1, method: 'tools/list', params })
  expect((await host.answer(1)).error).toMatchObject({ code: -32_600 })
  host.send({ jsonrpc: '2.0', id: 2, method: 'tools/list', params: { _meta: meta('2026-07-28') } })
  expect((await host.answer(2)).result?.tools).toHaveLength(10)
  expect(host.stdout().split('\n')).toHaveLength(3)
})

test.each([
  ['tools/call', { name: 'quote', arguments: null }, 'params.arguments must be an object.'],
  ['tools/list', { cursor: 5 }, 'params.cursor must be text.'],
  ['prompts/get', { name: 'list', arguments: { website: 5 } }, 'The arguments of a prompt must be text.'],
  ['resources/read', {}, 'params.uri must be text. Take an address from resources/list.'],
])('wrong parameters of %s are refused in plain words', async (method, params, message) => {
  const host = startHost(service.url, newJournal())
  host.send({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta('2026-07-28') } })
  expect((await host.answer(1)).error).toMatchObject({ code: -32_602, message: expect.stringContaining(message) })
})

test('a message without end ends the connection, and says so', async () => {
  const host = startHost(service.url, newJournal())
  host.stdin.write('"'.padEnd(5 * 1024 * 1024, 'x'))
  expect(await host.ended).toBe(2)
  expect([host.stdout(), host.stderr()]).toEqual(['', expect.stringContaining('exceeded maximum size')])
})

test.each([
  ['no service', '', 'No service given'],
  ['an address that would leak the secret', 'http://board.dev', 'must begin with https://'],
])('does not start with %s', async (_what, address, said) => {
  const host = startHost(address, newJournal())
  expect(await host.ended).toBe(2)
  expect([host.stdout(), host.stderr()]).toEqual(['', expect.stringContaining(said)])
})
