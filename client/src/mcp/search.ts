import { CATEGORIES, FIELD_WORDS, TOOL_WORDS } from '@placard/contract/plain'
import { messageOf, PlacardError } from '../error.ts'
import { exchange } from '../service/exchange.ts'
import { errorShape } from '../service/replies.ts'
import {
  address,
  flag,
  list,
  misfit,
  type Of,
  object,
  optional,
  text,
  textOrNull,
  whole,
  wholeFrom,
  wholeOrNull,
} from '../service/shape.ts'
import { VERSION } from '../version.ts'
import { argumentsOf, READS, type Tool } from './tool.ts'

const foundShape = object({
  listings: list(
    object({
      productUrl: address,
      title: text,
      description: text,
      hostname: text,
      category: text,
      language: text,
      publishedAt: whole,
      expiresAt: wholeOrNull,
      ownerVerifiedSince: wholeOrNull,
      missingWords: optional(list(text)),
    }),
  ),
  isCorrected: flag,
  nextCursor: textOrNull,
})

const replyShape = object({
  result: object({
    isError: optional(flag),
    structuredContent: optional(foundShape),
    content: list(object({ text: optional(text) })),
  }),
})

const PROTOCOL = '2026-07-28'
const TIMEOUT_MS = 30_000

const { search: words } = FIELD_WORDS

/** A site offers search for programs only at its own `/mcp`, so this asks there. */
export const searchTool: Tool = {
  name: 'search',
  ...TOOL_WORDS.search,
  annotations: READS,
  inputSchema: argumentsOf(
    {
      query: { type: 'string', minLength: 1, maxLength: 200, description: words.query },
      category: { type: 'string', enum: CATEGORIES, description: words.category },
      language: {
        type: 'string',
        pattern: '^[a-z]{2,3}$',
        description: words.language,
      },
      sort: { type: 'string', enum: ['relevance', 'newest'], description: words.sort },
      ownerVerified: { type: 'boolean', description: words.ownerVerified },
      cursor: { type: 'string', description: words.cursor },
    },
    ['category', 'language', 'sort', 'ownerVerified', 'cursor'],
  ),
  outputSchema: foundShape.schema,
  async call({ service, args, signal }) {
    const { result } = (
      await exchange(
        {
          method: 'POST',
          url: `${service}/mcp`,
          headers: {
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
            'mcp-protocol-version': PROTOCOL,
            'mcp-method': 'tools/call',
            'mcp-name': 'search',
          },
          body: JSON.stringify({
            jsonrpc: '2.0',
            id: 1,
            method: 'tools/call',
            params: {
              name: 'search',
              arguments: args,
              _meta: {
                'io.modelcontextprotocol/protocolVersion': PROTOCOL,
                'io.modelcontextprotocol/clientInfo': { name: 'placard-agent', version: VERSION },
                'io.modelcontextprotocol/clientCapabilities': {},
              },
            },
          }),
          timeoutMs: TIMEOUT_MS,
          signal,
          fetch: (url, init) => fetch(url, init as RequestInit),
        },
        replyShape,
      ).catch(refusedEarly)
    ).body
    if (result.structuredContent && !result.isError) return result.structuredContent
    throw refusal(result.content[0]?.text ?? '')
  },
}

/** A request refused before it is read as a message has its error inside JSON-RPC's. No other tool meets that. */
function refusedEarly(error: PlacardError): never {
  if (error.status !== 429) throw error
  throw error.with({ kind: 'postponed', code: 'rate_limited', error: 'Too many requests.', whatNext: LATER })
}

const LATER = 'Search again later.'

const toolErrorShape = object({ retryAfterSeconds: optional(wholeFrom(1)) })

function refusal(json: string): PlacardError {
  const said = parse(json)
  if (misfit(errorShape, said) !== undefined || misfit(toolErrorShape, said) !== undefined) {
    return new PlacardError({
      kind: 'unknown',
      code: 'invalid_response',
      error: 'The site’s answer cannot be used.',
      whatNext: LATER,
    })
  }
  const { code, error, field } = said as Of<typeof errorShape>
  const { retryAfterSeconds } = said as Of<typeof toolErrorShape>
  const isLater = code === 'rate_limited'
  return new PlacardError({
    kind: isLater ? 'postponed' : 'refused',
    code: messageOf(code),
    error: messageOf(error),
    whatNext: isLater ? LATER : 'Change what the message names, then search again.',
    field: field === undefined ? undefined : messageOf(field),
    retryAfterSeconds,
  })
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
