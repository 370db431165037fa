import { readFileSync } from 'node:fs'
import Type from 'typebox'
import Value from 'typebox/value'
import { expect, it } from 'vitest'
import { MCP_PATH } from '../../../src/agents/discovery/facts.ts'
import { CLIENT_PATH } from '../../../src/platform/http/links.ts'

const read = (path: string) => JSON.parse(readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8'))

// What the registry's schema of 2025-12-11 requires of the parts that are used.
const Input = { description: Type.String(), isRequired: Type.Boolean() }
const ServerJson = Type.Object(
  {
    $schema: Type.Literal('https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'),
    name: Type.String({ pattern: '^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$', minLength: 3, maxLength: 200 }),
    title: Type.String({ minLength: 1, maxLength: 100 }),
    description: Type.String({ minLength: 1, maxLength: 100 }),
    repository: Type.Object({ url: Type.String({ format: 'uri' }), source: Type.Literal('github') }),
    version: Type.String({ pattern: '^\\d+\\.\\d+\\.\\d+(-dev)?$' }),
    remotes: Type.Array(
      Type.Object(
        {
          type: Type.Literal('streamable-http'),
          url: Type.String({ pattern: '^https://' }),
          variables: Type.Record(Type.String(), Type.Object(Input)),
        },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false },
)

it('server.json is what the MCP Registry takes, and says what the manifests say', () => {
  const server = read('server.json')
  expect([...Value.Errors(ServerJson, server)]).toEqual([])
  const [project, client, contract] = ['', 'client/', 'contract/'].map(folder => read(`${folder}package.json`))
  // No package: a name on npm may belong to a stranger, and every board serves its own client.
  expect([server.version, client.version]).toEqual([project.version, project.version])
  expect(server.remotes[0].variables.board.description).toContain(
    ` npx -y https://{board}${CLIENT_PATH}placard-agent.tgz mcp`,
  )
  for (const { repository } of [project, client, contract]) {
    expect(repository.url).toBe(`git+${server.repository.url}.git`)
  }
  const owner = new URL(server.repository.url).pathname.split('/')[1]
  expect(server.name.startsWith(`io.github.${owner}/`)).toBe(true)
  expect(server.remotes[0].url).toBe(`https://{board}${MCP_PATH}`)
  expect(Object.keys(server.remotes[0].variables)).toEqual(['board'])
})
