import { MCP_PATH, type MCP_VERSIONS } from '../../../src/agents/discovery/facts.ts'

export type Version = (typeof MCP_VERSIONS)[number]

/** JSON-RPC's answer, as a test compares it. */
interface Answer {
  jsonrpc: string
  id?: unknown
  result?: Record<string, unknown>
  error?: { code: number; message: string; data?: Record<string, unknown> }
}

export interface Answered {
  status: number
  headers: Headers
  body: Answer
}

/** Posts a message as a client of that revision would, or exactly the text given. */
export async function post(
  service: { url: string },
  message: unknown,
  headers: Record<string, string> = {},
): Promise<Answered> {
  const response = await fetch(service.url + MCP_PATH, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: typeof message === 'string' ? message : JSON.stringify(message),
  })
  const text = await response.text()
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
  const json = isStream ? (/^data: (.+)$/m.exec(text)?.[1] ?? '') : text
  return {
    status: response.status,
    headers: response.headers,
    body: json === '' ? ({} as Answer) : (JSON.parse(json) as Answer),
  }
}

/** Sends one request in a revision of the protocol. */
export function ask(
  service: { url: string },
  version: Version,
  method: string,
  params: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<Answered> {
  const message = { jsonrpc: '2.0', id: 7, method }
  if (version !== '2026-07-28') {
    return post(service, { ...message, params }, { 'mcp-protocol-version': version, ...headers })
  }
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  return post(
    service,
    { ...message, params: { ...params, _meta } },
    {
      'mcp-protocol-version': version,
      'mcp-method': method,
      ...(typeof params.name === 'string' && { 'mcp-name': params.name }),
      ...headers,
    },
  )
}

/** Calls a tool. @returns its value, or its error as the API would give it */
export async function callTool(
  service: { url: string },
  version: Version,
  name: string,
  args: Record<string, unknown>,
): Promise<{ value?: unknown; error?: Record<string, unknown> }> {
  const { body } = await ask(service, version, 'tools/call', { name, arguments: args })
  const { content, structuredContent, isError } = body.result as {
    content: { type: string; text: string }[]
    structuredContent?: unknown
    isError?: boolean
  }
  const said = JSON.parse(content[0]?.text ?? '')
  return isError ? { error: said } : { value: structuredContent }
}
