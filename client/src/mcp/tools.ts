import { BOARDS, CATEGORIES, FIELD_WORDS, SEARCH_MAX_LENGTH, TOOL_WORDS } from '@placard/contract/plain'
import type { CheckRequest, QuoteRequest } from '../client.ts'
import { PlacardError } from '../error.ts'
import { type SearchRequest, searchPageShape } from '../service/listings.ts'
import { capabilitiesShape, checkShape, publicReceiptShape, quoteShape } from '../service/replies.ts'
import { flag, list, object, only, optional, text, textOrNull, whole } from '../service/shape.ts'
import { eventsShape } from '../submissions/events.ts'
import { STATES } from '../submissions/record.ts'
import { appealTool, decisionTool } from './decision.ts'
import { categoryArgument, destinationArgument, linkFields, linkOf, publishTool } from './publish.ts'
import { inputRequired } from './sdk.ts'
import { argumentsOf, READS, type Tool } from './tool.ts'

const capabilitiesTool: Tool = {
  name: 'capabilities',
  ...TOOL_WORDS.capabilities,
  annotations: READS,
  inputSchema: argumentsOf({}),
  outputSchema: capabilitiesShape.schema,
  call: ({ client, signal }) => client.capabilities({ signal }),
}

const checkTool: Tool = {
  name: 'check',
  ...TOOL_WORDS.check,
  // It fetches the website.
  annotations: { ...READS, openWorldHint: true },
  inputSchema: argumentsOf({ destination: destinationArgument, category: categoryArgument }),
  outputSchema: checkShape.schema,
  call: ({ client, args, signal }) => client.check(args as unknown as CheckRequest, { signal }),
}

const quoteTool: Tool = {
  name: 'quote',
  ...TOOL_WORDS.quote,
  annotations: READS,
  inputSchema: argumentsOf({
    destination: { ...destinationArgument, description: FIELD_WORDS.quote.destination },
    category: categoryArgument,
    board: {
      type: 'string',
      enum: BOARDS,
      description: FIELD_WORDS.quote.board,
    },
    targetBid: {
      type: 'integer',
      description: FIELD_WORDS.quote.targetBid,
    },
  }),
  outputSchema: quoteShape.schema,
  async call({ client, args, signal, capabilities, answered, questions }) {
    const asked = JSON.stringify(args)
    const quote = await client.quote(args as unknown as QuoteRequest, { signal })
    // Read again after the person looked at its page, whatever they answered: the price may have moved.
    if (answered?.about === asked || capabilities.elicitation?.url === undefined) return quote
    const message = 'The site’s page with this price, for you to look at. You are charged only if you pay there.'
    return questions.ask(inputRequired.elicitUrl({ message, url: quote.handoffUrl }), asked)
  },
}

const statusTool: Tool = {
  name: 'status',
  title: 'Show the state of a submission',
  description:
    'A submission of this customer and its listing now. If it is or may be accepted, it is sent again unchanged, which may finish it. It needs no exact spelling: a host name is enough, and nothing if there is only one. decisionId names the decision to refuse it or take it down: see decision.',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  inputSchema: argumentsOf(
    { destination: { ...destinationArgument, description: 'Its address, or only the host name.' } },
    ['destination'],
  ),
  outputSchema: object({
    service: text,
    destination: text,
    category: text,
    state: only(...STATES),
    approvedAt: text,
    answeredAt: optional(text),
    code: optional(text),
    decisionId: optional(text),
    appeal: optional(object({ statement: text, at: text, state: text })),
    reopened: optional(flag),
    receipt: optional(publicReceiptShape),
    ...linkFields,
  }).schema,
  async call(call) {
    const { client, args, signal } = call
    const {
      privateLink: _,
      approval: __,
      ...found
    } = await client.status(args.destination as string | undefined, { signal })
    return { ...found, ...linkOf(call, found.destination, found.receipt) }
  },
}

const eventsTool: Tool = {
  name: 'events',
  title: 'Read what happened to a submission',
  description:
    'What happened to a submission of this customer, oldest first, and its state now: published, refused, appeal decided, hidden, restored, claimed by its owner, ends in 7 days, ended. It sends nothing again. With nextCursor as cursor, it shows only what is new. A decision appears about a second after it was made.',
  annotations: READS,
  inputSchema: argumentsOf(
    {
      destination: { ...destinationArgument, description: 'Its address, or only the host name.' },
      cursor: { type: 'string', minLength: 1, description: 'nextCursor of an earlier result, or cursor of an event.' },
    },
    ['destination', 'cursor'],
  ),
  outputSchema: eventsShape.schema,
  call: ({ client, args, signal }) => {
    const { destination, cursor } = args as { destination?: string; cursor?: string }
    return client.events(destination, { signal, ...(cursor !== undefined && { cursor }) })
  },
}

const { search: words } = FIELD_WORDS

const searchTool: Tool = {
  name: 'search',
  ...TOOL_WORDS.search,
  annotations: READS,
  inputSchema: argumentsOf(
    {
      query: { type: 'string', minLength: 1, maxLength: SEARCH_MAX_LENGTH, description: words.query },
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
  outputSchema: searchPageShape.schema,
  async call({ client, args, signal }) {
    try {
      return await client.search(args as unknown as SearchRequest, { signal })
    } catch (error) {
      if (!(error instanceof PlacardError) || error.field !== 'q') throw error
      // The address has a shorter name for it than the tool.
      throw error.with({ field: 'query', error: error.error.replace(/^q /, 'query ') })
    }
  },
}

const drawTool: Tool = {
  name: 'draw',
  ...TOOL_WORDS.draw,
  annotations: READS,
  inputSchema: argumentsOf(
    { day: { type: 'string', pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$', description: FIELD_WORDS.draw.day } },
    ['day'],
  ),
  // Without the hashes, which look like secrets and would be struck out.
  outputSchema: object({
    day: text,
    drawnAt: whole,
    drawn: list(object({ place: whole, productUrl: textOrNull, title: textOrNull })),
  }).schema,
  async call({ client, args, signal }) {
    const today = new Date().toISOString().slice(0, 10)
    const { day, drawnAt, drawn } = await client.draw((args.day as string | undefined) ?? today, { signal })
    return { day, drawnAt, drawn: drawn.map(({ place, productUrl, title }) => ({ place, productUrl, title })) }
  },
}

export const TOOLS: readonly Tool[] = [
  capabilitiesTool,
  checkTool,
  quoteTool,
  publishTool,
  statusTool,
  eventsTool,
  decisionTool,
  appealTool,
  searchTool,
  drawTool,
]
