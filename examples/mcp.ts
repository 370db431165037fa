/**
 * Asks a service over MCP what publishing a website would answer, what a place would cost, and what is listed already.
 * It publishes nothing: the tools of /mcp only read.
 *
 *   node examples/mcp.ts SERVICE DESTINATION CATEGORY [WORDS TO SEARCH]
 */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

const [service = '', destination = '', category = '', query = category] = process.argv.slice(2)

const client = new Client({ name: 'placard-example', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } })
await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', service)))

for (const [name, args] of [
  ['check', { destination, category }],
  ['quote', { destination, category, board: 'all', targetBid: 25 }],
  ['search', { query }],
] as const) {
  const { isError, structuredContent, content } = await client.callTool({ name, arguments: args })
  // The text of an error is the API's: its code, and what to do next.
  const said = isError ? content : structuredContent
  console.log(JSON.stringify({ [name]: said }, null, 2))
  if (isError) process.exitCode = 1
}
await client.close()
