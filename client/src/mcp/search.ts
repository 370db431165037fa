import { CATEGORIES, FIELD_WORDS, SEARCH_MAX_LENGTH, TOOL_WORDS } from '@placard/contract/plain'
import { PlacardError } from '../error.ts'
import { type SearchRequest, searchPageShape } from '../service/listings.ts'
import { argumentsOf, READS, type Tool } from './tool.ts'

const { search: words } = FIELD_WORDS

export const searchTool: Tool = {
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
