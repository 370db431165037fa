import { createHash } from 'node:crypto'
import type { TSchema } from 'typebox'
import Type from 'typebox'
import Value from 'typebox/value'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { securityText } from '../../../src/agents/discovery/documents.ts'
import { FOR_AGENTS, FOR_PEOPLE, MCP_PATH, MCP_VERSIONS, PATHS } from '../../../src/agents/discovery/facts.ts'
import { Links } from '../../../src/platform/http/links.ts'
import { daysMs } from '../../../src/platform/lib/time.ts'
import { NOON, startTestService, type TestService } from '../../support/service.ts'
import { ask } from '../mcp/messages.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.stop())

const get = (path: string, init?: RequestInit) => fetch(new URL(path, service.url), init)
const getJson = async (path: string) => (await get(path)).json()
const getText = async (path: string) => (await get(path)).text()

/** Every address of this service in a text. An example of a reply, or a variable, names what does not exist. */
const addressesIn = (text: string) =>
  [...text.replaceAll(/^```json\n.*?^```$/gms, '').matchAll(/https?:\/\/[^\s"'<>)`]+/g)]
    .map(([url]) => url.replace(/[.,;:]$/, ''))
    .filter(url => url.startsWith(service.url) && !url.includes('$'))

describe('what is announced', () => {
  it('answers at its address, as the kind that is said', async () => {
    for (const { path, mediaType } of [...FOR_AGENTS, ...FOR_PEOPLE]) {
      const response = await get(path)
      expect([path, response.status, response.headers.get('content-type')?.split(';')[0]]).toEqual([
        path,
        200,
        mediaType,
      ])
    }
  })

  it('is all that any document of this kind names', async () => {
    const documents = [...Object.values(PATHS), '/llms.txt', '/agent-guide.md']
    const found = new Set((await Promise.all(documents.map(getText))).flatMap(addressesIn))
    found.delete(service.url + MCP_PATH)
    expect(found.size).toBeGreaterThan(15)
    for (const address of found) expect([address, (await get(address)).status]).not.toEqual([address, 404])
    expect((await ask(service, '2026-07-28', 'server/discover')).status).toBe(200)
  })

  it('promises nothing that the contract forbids', async () => {
    const absent = ['agent.json', 'agent-card.json', 'acp.json', 'ucp', 'ap2.json', 'x402']
    for (const name of absent) expect((await get(`/.well-known/${name}`)).status).toBe(404)
  })

  it('is in the Link header of the home page and of the catalog, and resolves', async () => {
    const header = (await get('/')).headers.get('link') ?? ''
    const ofCatalog = (await get(PATHS.apiCatalog, { method: 'HEAD' })).headers.get('link')
    expect(header).toBe(`${ofCatalog}, </index.md>; rel="alternate"; type="text/markdown"`)
    const links = [...header.matchAll(/<([^>]+)>; rel="([^"]+)"; type="([^"]+)"/g)]
    expect(links.map(([, , rel]) => rel)).toEqual(
      expect.arrayContaining(['api-catalog', 'ard', 'service-desc', 'service-doc']),
    )
    for (const [, path = '', , type] of links) {
      expect([path, (await get(path)).headers.get('content-type')?.split(';')[0]]).toEqual([path, type])
    }
  })

  it('is kept for an hour, by pages of any origin, and known again by its ETag', async () => {
    for (const path of Object.values(PATHS)) {
      const { headers } = await get(path)
      expect([path, headers.get('cache-control')]).toEqual([
        path,
        'public, max-age=1800, stale-while-revalidate=1800, stale-if-error=300',
      ])
      const again = await get(path, { headers: { 'if-none-match': headers.get('etag') ?? '' } })
      expect([path, again.status]).toEqual([path, 304])
      expect(headers.get('access-control-allow-origin')).toBe('*')
    }
  })
})

describe('each document', () => {
  const uri = Type.String({ pattern: '^https?://\\S+$' })
  const faults = (schema: TSchema, value: unknown) => [...Value.Errors(schema, value)]

  it('of the MCP server is a server card, and says what the server says', async () => {
    const Card = Type.Object({
      $schema: Type.Literal('https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json'),
      name: Type.String({ pattern: '^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$', maxLength: 200 }),
      title: Type.String({ minLength: 1, maxLength: 100 }),
      description: Type.String({ minLength: 1, maxLength: 100 }),
      version: Type.String({ pattern: '^\\d+\\.\\d+\\.\\d+(-dev)?$' }),
      websiteUrl: uri,
      remotes: Type.Array(
        Type.Object({
          type: Type.Literal('streamable-http'),
          url: uri,
          supportedProtocolVersions: Type.Array(Type.String()),
        }),
        { minItems: 1 },
      ),
    })
    const card = await getJson(PATHS.serverCard)
    expect(faults(Card, card)).toEqual([])
    const { body } = await ask(service, '2026-07-28', 'server/discover')
    expect(body.result?._meta).toEqual({
      'io.modelcontextprotocol/serverInfo': {
        name: card.name,
        title: card.title,
        version: card.version,
        websiteUrl: card.websiteUrl,
      },
    })
    expect(card.remotes[0]).toMatchObject({
      url: service.url + MCP_PATH,
      supportedProtocolVersions: MCP_VERSIONS,
    })
    expect(card.remotes[0].supportedProtocolVersions).toEqual(
      expect.arrayContaining(body.result?.supportedVersions as string[]),
    )
  })

  it('of the domain is an ARD manifest whose entries registries can find, at its address and the one before', async () => {
    const Entry = Type.Object(
      {
        identifier: Type.String({ pattern: '^urn:air:127\\.0\\.0\\.1:[a-z]+:[a-z]+$' }),
        displayName: Type.String({ minLength: 1 }),
        type: Type.String(),
        url: uri,
        description: Type.String({ minLength: 1 }),
        representativeQueries: Type.Array(Type.String({ minLength: 1 }), { minItems: 2, maxItems: 5 }),
      },
      { additionalProperties: false },
    )
    const Manifest = Type.Object({ specVersion: Type.Literal('1.0'), entries: Type.Array(Entry) })
    const selling = await getJson(PATHS.ard)
    const free = await startTestService({ env: { PAYMENTS: 'none' } })
    const selfless = await (await fetch(free.url + PATHS.ard)).json()
    await free.stop()
    for (const manifest of [selling, selfless]) expect(faults(Manifest, manifest)).toEqual([])
    expect(JSON.stringify(selling)).toContain('cost')
    expect(JSON.stringify(selfless)).not.toMatch(/paid|cost/)
    expect(await getJson(PATHS.aiCatalog)).toEqual(selling)
    expect(selling.entries.map(({ url }: { url: string }) => url)).toEqual(
      [PATHS.serverCard, PATHS.skill].map(path => service.url + path),
    )
    for (const { type, url } of selling.entries) {
      const served = (await fetch(url)).headers.get('content-type')?.split(';')[0]
      expect([url, type.split(';')[0]]).toEqual([url, served])
    }
  })

  it('of the APIs is a linkset (RFC 9264) with an item for each (RFC 9727)', async () => {
    const Target = Type.Object(
      { href: uri, type: Type.Optional(Type.String()), title: Type.Optional(Type.String()) },
      { additionalProperties: false },
    )
    const Context = Type.Object(
      { anchor: uri },
      { additionalProperties: Type.Union([Type.Array(Target, { minItems: 1 }), uri]) },
    )
    const catalog = await getJson(PATHS.apiCatalog)
    expect(faults(Type.Object({ linkset: Type.Array(Context) }, { additionalProperties: false }), catalog)).toEqual([])
    const [first, ...apis] = catalog.linkset
    expect(first.item.map(({ href }: { href: string }) => href)).toEqual(
      apis.map(({ anchor }: { anchor: string }) => anchor),
    )
    for (const api of apis) expect(Object.keys(api)).toContain('service-desc')
  })

  it('of the skills is an index (Agent Skills Discovery 0.2.0) with the digest of what is served', async () => {
    const index = await getJson(PATHS.skills)
    expect(index.$schema).toBe('https://schemas.agentskills.io/discovery/0.2.0/schema.json')
    expect(index.skills).toHaveLength(1)
    const [{ name, type, description, url, digest }] = index.skills
    expect([name, type]).toEqual(['placard', 'skill-md'])
    const skill = await getText(url)
    expect(digest).toBe(`sha256:${createHash('sha256').update(skill).digest('hex')}`)
    const [, front = ''] = /^---\n(.*?)\n---\n/s.exec(skill) ?? []
    expect(front).toBe(`name: ${name}\ndescription: ${JSON.stringify(description)}`)
    expect(description.length).toBeLessThanOrEqual(1024)
    // The page where people copy it shows the same.
    expect(await getText('/list')).toContain(skill.trimEnd().split('\n').at(-1))
  })
})

it('goes by the name of the board', async () => {
  const named = await startTestService({ env: { SITE_NAME: 'North: “Side”' } })
  const text = async (path: string) => (await fetch(named.url + path)).text()
  expect(JSON.parse(await text(PATHS.serverCard)).title).toBe('North: “Side”')
  expect(await text(PATHS.skill)).toContain('description: "List a website on North: “Side”, recover')
  const { body } = await ask(named, '2026-07-28', 'server/discover')
  expect(body.result?.instructions).toMatch(/^North: “Side” is a public notice board/)
  await named.stop()
})

describe('security.txt', () => {
  it('has a contact, and an end within the year that changes once a month (RFC 9116)', async () => {
    const links = new Links({
      baseUrl: 'https://placard.example.org',
      supportUrl: 'https://help.example.org/',
    })
    for (let day = 0; day < 400; day++) {
      const now = NOON + daysMs(day)
      const expires = Date.parse(/^Expires: (.+)$/m.exec(securityText(links, now))?.[1] ?? '')
      expect(expires - now).toBeGreaterThan(daysMs(180))
      expect(expires - now).toBeLessThan(daysMs(300))
    }
    expect(securityText(links, NOON)).toBe(
      'Contact: https://help.example.org/\nExpires: 2027-06-01T00:00:00.000Z\nPreferred-Languages: en\nCanonical: https://placard.example.org/.well-known/security.txt\n',
    )
    expect(securityText(links, NOON + daysMs(1))).toBe(securityText(links, NOON))
  })
})
