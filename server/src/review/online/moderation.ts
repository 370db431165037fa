import type { ReviewReason } from '@placard/contract'
import type { Destination } from '../../destinations/destination.ts'
import { flag, type Opinion, PASS, reject } from '../../destinations/verdict.ts'
import type { FetchedPage } from '../../reading/page.ts'
import type { Secret } from '../../secret.ts'
import type { Reviewer } from '../reviewers.ts'
import { askJson, fieldsOf } from './ask-json.ts'

/** Enough to judge a page by. */
const TEXT_MAX_LENGTH = 5_000

/** Categories that refuse a page. The others only flag it: charities, too, write about self-harm. */
const REASONS: Readonly<Record<string, ReviewReason>> = {
  sexual: 'adult_content',
  'sexual/minors': 'policy',
  'hate/threatening': 'policy',
  'harassment/threatening': 'policy',
  'illicit/violent': 'policy',
  'violence/graphic': 'policy',
}

interface ModerationOptions {
  /** Address of the endpoint itself. */
  url: string
  /** A server of one's own may need none. */
  apiKey: Secret | undefined
  model: string
}

/** An endpoint like OpenAI's for moderation: it is sent the words of a page, and the address of its picture. */
export class Moderation implements Reviewer {
  readonly name = 'moderation'
  readonly version: string
  readonly isOnline = true
  /** It never rests: a page may name a picture whose server keeps the endpoint waiting, and would stop all others. */
  readonly limits = { timeoutMs: 3_000, failuresMax: Number.POSITIVE_INFINITY }
  readonly #options: ModerationOptions

  constructor(options: ModerationOptions) {
    this.#options = options
    this.version = `1 ${options.model}`
  }

  about(page: FetchedPage): string {
    return JSON.stringify(inputOf(page))
  }

  async review(page: FetchedPage, _destination: Destination, signal: AbortSignal): Promise<Opinion> {
    const { url, apiKey, model } = this.#options
    const reply = await askJson(new URL(url), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(apiKey && { authorization: `Bearer ${apiKey.reveal().toString()}` }),
      },
      body: JSON.stringify({ model, input: inputOf(page) }),
      signal,
    })
    const categories = flaggedCategories(reply)
    const decisive = categories.find(category => Object.hasOwn(REASONS, category))
    if (decisive) return reject(REASONS[decisive] as ReviewReason, undefined, { categories })
    return categories.length > 0 ? flag('policy', { categories }) : PASS
  }
}

function inputOf({ metadata, text }: FetchedPage): object[] {
  const words = `${metadata.title}\n${metadata.description}\n${text}`.slice(0, TEXT_MAX_LENGTH)
  const picture = metadata.imageUrl && { type: 'image_url', image_url: { url: metadata.imageUrl } }
  return [{ type: 'text', text: words }, ...(picture ? [picture] : [])]
}

/** The categories that any result names. @throws Error if the reply is not of the documented shape */
function flaggedCategories(reply: unknown): string[] {
  const results = fieldsOf(reply)?.results
  const found = Array.isArray(results) ? results.map(fieldsOf) : []
  const named = found.map(result => ({ flagged: result?.flagged, categories: fieldsOf(result?.categories) }))
  const isKnown = named.every(
    ({ flagged, categories }) =>
      typeof flagged === 'boolean' &&
      categories !== undefined &&
      Object.values(categories).every(value => typeof value === 'boolean') &&
      Object.values(categories).includes(true) === flagged,
  )
  if (named.length === 0 || !isKnown) throw new Error('answered in an unknown shape')
  return [
    ...new Set(
      named.flatMap(({ categories = {} }) => Object.keys(categories).filter(name => categories[name])),
    ),
  ]
}
