import { Capabilities, Check, Quote, Receipt, SubmissionEvents } from '@placard/contract'
import Value from 'typebox/value'
import { beforeAll, describe, expect, test } from 'vitest'
import { MCP_VERSIONS as SERVED_BY_SERVICE } from '../../../server/src/agents/discovery/facts.ts'
import { TOOLS as SERVICE_TOOLS } from '../../../server/src/agents/mcp/tools.ts'
import { putDraw } from '../../../server/test/support/draws.ts'
import { payFor } from '../../../server/test/support/ledger.ts'
import type { TestService } from '../../../server/test/support/service.ts'
import { MCP_VERSIONS } from '../../src/mcp/server.ts'
import { TOOLS } from '../../src/mcp/tools.ts'
import { CATEGORY, newJournal, PRIVATE_PART, realService } from '../real-service.ts'
import { connect, MODES, startHost } from './host.ts'

let service: TestService
const started = realService()
beforeAll(() => {
  service = started()
})

const site = { destination: 'http://tools.com/', category: CATEGORY }
const bid = { ...site, board: 'all', targetBid: 25 }
const trusting = { env: { PLACARD_TRUST_MODEL: '1' } }

test('the revisions are those of the service', () => {
  expect(MCP_VERSIONS).toEqual(SERVED_BY_SERVICE)
})

test.each(MCP_VERSIONS.slice(1))('revision %s is agreed on at the handshake', async protocolVersion => {
  const host = startHost(service.url, newJournal())
  const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1.0.0' } }
  host.send({ jsonrpc: '2.0', id: 1, method: 'initialize', params })
  expect((await host.answer(1)).result).toMatchObject({
    protocolVersion,
    serverInfo: { name: 'placard-agent', title: 'Placard' },
    capabilities: { tools: {}, prompts: {}, resources: {} },
  })
})

describe.each(MODES)('in revision %s', (_version, mode) => {
  const open = async (person = {}) => {
    const host = startHost(service.url, newJournal(), trusting)
    return { host, ...(await connect(host, mode, person)) }
  }

  test('the tools say what they do', async () => {
    const { client } = await open()
    expect(client.getInstructions()).toContain(service.url)
    const { tools } = await client.listTools()
    const read = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }
    const write = { ...read, readOnlyHint: false, openWorldHint: true }
    expect(tools.map(({ name, annotations }) => [name, annotations])).toEqual([
      ['capabilities', read],
      ['check', { ...read, openWorldHint: true }],
      ['quote', read],
      ['publish', write],
      ['status', write],
      ['events', read],
      ['decision', read],
      ['appeal', { ...read, readOnlyHint: false }],
      ['search', read],
      ['draw', read],
    ])
    for (const { inputSchema, outputSchema, title, description } of tools) {
      expect([inputSchema.type, inputSchema.additionalProperties, outputSchema?.type]).toEqual([
        'object',
        false,
        'object',
      ])
      expect([title, description]).toEqual([expect.any(String), expect.any(String)])
    }
  })

  // The official client holds each value against the schema that the tool announces.
  test('the tools give what the board gives', async () => {
    const { call } = await open()
    const { value: offer } = await call('capabilities')
    expect([...Value.Errors(Capabilities, offer)]).toEqual([])
    const { value: checked } = await call('check', site)
    expect([...Value.Errors(Check, checked)]).toEqual([])
    const { value: price } = await call('quote', bid)
    expect([...Value.Errors(Quote, price)]).toEqual([])
    const destination = `http://words-${mode === 'legacy' ? 'one' : 'two'}.com/`
    const { value: listed } = await call('publish', { ...site, destination, userApproved: true })
    expect([...Value.Errors(Receipt, listed?.receipt)]).toEqual([])
    const { value: happened } = await call('events')
    expect([...Value.Errors(SubmissionEvents, happened)]).toEqual([])
    expect(happened).toMatchObject({ state: 'published' })
    const { value: found } = await call('search', { query: new URL(destination).hostname })
    const { productUrl = '' } = listed?.receipt ?? {}
    expect(found?.listings).toMatchObject([{ productUrl, category: CATEGORY }])
    await putDraw(await service.database.openStore(), '2026-11-20', [productUrl.split('/').pop() ?? ''])
    const { value: draw } = await call('draw', { day: '2026-11-20' })
    expect(draw).toMatchObject({ day: '2026-11-20', drawn: [{ place: 1, productUrl }] })
    expect(JSON.stringify(draw)).not.toContain('[secret]')
  })

  test('a quote opens its page where the program can, and is the result in any case', async () => {
    for (const action of ['accept', 'decline'] as const) {
      const { call, asked } = await open({ elicitation: { url: {} }, answers: { action } })
      const { value } = await call('quote', bid)
      expect(asked).toMatchObject([{ mode: 'url', url: value?.handoffUrl }])
      expect(value).toMatchObject({ chargeAmountCents: 2500, chargeCreated: false })
    }
    const { call, asked } = await open({ elicitation: { form: {} } })
    expect((await call('quote', bid)).value?.handoffUrl).toContain('/promote?')
    expect(asked).toEqual([])
  })

  test('a quote is the price after the person has looked at its page', async () => {
    const { call, client } = await open({ elicitation: { url: {} } })
    const host = `moving-price-${mode === 'legacy' ? 'one' : 'two'}.com`
    const store = await service.database.openStore()
    client.setRequestHandler('elicitation/create', async () => {
      await payFor(store, host, `pi_${host}`, { amountCents: 1000 })
      return { action: 'accept' }
    })
    const { value } = await call('quote', { ...bid, destination: `https://${host}/` })
    expect(value?.chargeAmountCents).toBe(1500)
  })

  test('the prompts fill in what they are given', async () => {
    const { client } = await open()
    const { prompts } = await client.listPrompts()
    expect(prompts.map(({ name }) => name)).toEqual(['list-my-site', 'take-a-place'])
    for (const { name } of prompts) {
      const { messages } = await client.getPrompt({
        name,
        arguments: { destination: 'https://mine.dev', category: 'Games' },
      })
      expect(messages).toMatchObject([{ role: 'user', content: { type: 'text' } }])
      expect(JSON.stringify(messages)).toMatch(/https:\/\/mine\.dev.*Games/)
      // A free listing has no place on a board.
      if (name === 'list-my-site') expect(JSON.stringify(messages)).not.toContain('board')
      await expect(client.getPrompt({ name })).rejects.toThrow('needs the argument destination')
    }
    await expect(client.getPrompt({ name: 'sell' })).rejects.toThrow('There are: list-my-site, take-a-place.')
  })

  test('the resources are the guide, the rules, and receipts without a private link', async () => {
    const { client, call } = await open()
    const before = await client.listResources()
    expect(before.resources.map(({ name }) => name)).toEqual(['guide', 'rules'])
    const destination = `http://receipt-${mode === 'legacy' ? 'one' : 'two'}.com/`
    const { value } = await call('publish', { ...site, destination, userApproved: true })
    const { resources } = await client.listResources()
    const read = async (uri = '') => {
      const [content] = (await client.readResource({ uri })).contents
      return content && 'text' in content ? content.text : ''
    }
    expect(await read(resources[0]?.uri)).toContain('# ')
    expect(await read(resources[1]?.uri)).toContain('<!DOCTYPE html>')
    const receipt = await read(resources[2]?.uri)
    expect(JSON.parse(receipt)).toEqual(value?.receipt)
    expect(receipt).not.toMatch(PRIVATE_PART)
    await expect(read('placard://receipt/none')).rejects.toMatchObject({
      message: expect.stringContaining('no such resource'),
      data: { uri: 'placard://receipt/none' },
    })
  })
})

test('tools that the service has too take the same arguments, and say the same of themselves', () => {
  for (const name of ['capabilities', 'check', 'quote', 'search', 'draw']) {
    const [here, there] = [TOOLS, SERVICE_TOOLS].map(tools => tools.find(tool => tool.name === name))
    const argumentsOf = (schema: unknown) => {
      const { properties, required = [] } = schema as {
        properties: Record<string, { description?: string }>
        required?: string[]
      }
      const described = Object.entries(properties).map(([argument, { description }]) => [argument, description])
      return { described, required: [...required] }
    }
    expect(argumentsOf(here?.inputSchema)).toEqual(argumentsOf(there?.inputSchema))
    expect([here?.title, here?.description]).toEqual([there?.title, there?.description])
  }
})
