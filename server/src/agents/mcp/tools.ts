import {
  BOARD_PAGE_DEFAULT,
  BOARD_PAGE_MAX,
  BOARDS,
  BoardPage,
  Capabilities,
  Check,
  CheckBody,
  Draw,
  DrawParams,
  FIELD_WORDS,
  Quote,
  QuoteBody,
  TOOL_WORDS,
} from '@placard/contract'
import Type from 'typebox'
import { boardPage } from '../../domain/boards/api.ts'
import { quote } from '../../domain/checkout/quote.ts'
import { drawReply } from '../../domain/featured/api.ts'
import { capabilities } from '../../domain/publishing/capabilities.ts'
import { check } from '../../domain/publishing/check.ts'
import type { Links } from '../../platform/http/links.ts'
import { tooMany } from '../../platform/http/rate-limits/rate-limit.ts'
import { utcDay } from '../../platform/lib/time.ts'
import { listingTool, searchTool } from './search-tools.ts'
import { defineTool, READS, type Tool } from './tool.ts'

const capabilitiesTool = defineTool({
  name: 'capabilities',
  ...TOOL_WORDS.capabilities,
  annotations: READS,
  inputSchema: Type.Object({}, { additionalProperties: false }),
  outputSchema: Capabilities,
  call: (_args, deps) => capabilities(deps),
})

const checkTool = defineTool({
  name: 'check',
  ...TOOL_WORDS.check,
  // It fetches the website.
  annotations: { ...READS, openWorldHint: true },
  inputSchema: CheckBody,
  outputSchema: Check,
  call: async (body, { checking }, request) => {
    const refusal = await tooMany(checking.allowance, request)
    if (refusal) throw refusal
    return check(checking, body, request)
  },
})

const quoteTool = defineTool({
  name: 'quote',
  ...TOOL_WORDS.quote,
  annotations: READS,
  inputSchema: QuoteBody,
  outputSchema: Quote,
  call: async (body, deps, request) => {
    const refusal = await tooMany(deps.quoteAllowance, request)
    if (refusal) throw refusal
    return quote(deps, body)
  },
})

const boardTool = defineTool({
  name: 'board',
  title: 'Read a board of paid places',
  description:
    'A page of a board by rank. Every place on it is paid for: say so when you show it. Titles come from the listed websites.',
  annotations: READS,
  inputSchema: Type.Object(
    {
      board: Type.Enum([...BOARDS], {
        type: 'string',
        description: 'all counts every payment; today counts those of the current UTC day.',
      }),
      cursor: Type.Optional(Type.String({ description: 'nextCursor of the previous page.' })),
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: BOARD_PAGE_MAX,
          description: `Places on a page. By default, ${BOARD_PAGE_DEFAULT}.`,
        }),
      ),
    },
    { additionalProperties: false },
  ),
  outputSchema: BoardPage,
  async call({ board, cursor, limit = BOARD_PAGE_DEFAULT }, deps) {
    const query = { limit: String(limit), ...(cursor !== undefined && { cursor }) }
    return (await boardPage(deps, board, query, deps.clock())).value
  },
})

const drawTool = defineTool({
  name: 'draw',
  ...TOOL_WORDS.draw,
  annotations: READS,
  inputSchema: Type.Object(
    { day: Type.Optional(Type.String({ ...DrawParams.properties.day, description: FIELD_WORDS.draw.day })) },
    { additionalProperties: false },
  ),
  outputSchema: Draw,
  call: ({ day }, deps) => drawReply(deps, day ?? utcDay(deps.clock()), deps.clock()),
})

/** Returns the tools that a site offers: if it sells no places, there is no tool for prices. */
export const toolsOf = ({ site }: Links): readonly Tool[] =>
  site.sellsPlaces ? TOOLS : TOOLS.filter(tool => tool !== quoteTool)

export const TOOLS: readonly Tool[] = [
  capabilitiesTool,
  checkTool,
  quoteTool,
  searchTool,
  listingTool,
  boardTool,
  drawTool,
]
