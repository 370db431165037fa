import type { ReviewReason } from '@placard/contract'
import type { Secret } from '../../../platform/lib/secret.ts'
import type { Destination } from '../../destinations/destination.ts'
import type { FetchedPage } from '../page.ts'
import { flag, type Opinion, PASS, reject } from '../verdict.ts'
import { fieldsOf, requestJson } from './remote-service.ts'
import type { Reviewer } from './reviewers.ts'

const TEXT_MAX_LENGTH = 5_000

/** Categories that refuse a page. The others only flag it: charities also write about self-harm. */
const REASONS: Readonly<Record<string, ReviewReason>> = {
  sexual: 'adult_content',
  'sexual/minors': 'policy',
  'hate/threatening': 'policy',
  'harassment/threatening': 'policy',
  'illicit/violent': 'policy',
  'violence/graphic': 'policy',
}

/** Loads the picture that a page names as a `data:` address. Returns undefined if it can't be loaded. Never throws. */
export type LoadPicture = (address: string, stop: AbortSignal) => Promise<string | undefined>

interface ModerationOptions {
  /** Address of the endpoint itself. */
  url: string
  /** Your own server may need none. */
  apiKey: Secret | undefined
  model: string
  loadPicture: LoadPicture
}

/**
 * An endpoint like OpenAI's for moderation. It receives the words of a page, and its picture as data, never by address.
 */
export class Moderation implements Reviewer {
  readonly name = 'moderation'
  readonly version: string
  readonly isOnline = true
  /**
   * It is never paused: pages that make the endpoint fail would stop the review of all others. Up to 3 seconds go to
   * the picture.
   */
  readonly limits = { timeoutMs: 6_000, failuresMax: Number.POSITIVE_INFINITY }
  readonly #options: ModerationOptions

  constructor(options: ModerationOptions) {
    this.#options = options
    this.version = `2 ${options.model}`
  }

  cacheKey({ metadata, text }: FetchedPage): string {
    return JSON.stringify([wordsOf({ metadata, text }), metadata.imageUrl])
  }

  async review(page: FetchedPage, _destination: Destination, signal: AbortSignal): Promise<Opinion> {
    const { imageUrl } = page.metadata
    const words = { type: 'text', text: wordsOf(page) }
    const picture = imageUrl === null ? undefined : await this.#options.loadPicture(imageUrl, signal)
    const { reply, isPictureJudged } = await this.#askAbout(words, picture, signal)
    const categories = flaggedCategories(reply)
    const isUnseen = imageUrl !== null && !isPictureJudged
    const evidence = { categories, ...(isUnseen && UNSEEN_PICTURE) }
    const decisive = categories.find(category => Object.hasOwn(REASONS, category))
    if (decisive) return reject(REASONS[decisive] as ReviewReason, undefined, evidence)
    if (categories.length > 0) return flag('policy', evidence)
    return isUnseen ? { ...PASS, evidence: UNSEEN_PICTURE } : PASS
  }

  /** Asks again about the words alone if the endpoint can't read the picture. A picture must not stop a publish. */
  async #askAbout(
    words: object,
    picture: string | undefined,
    signal: AbortSignal,
  ): Promise<{ reply: unknown; isPictureJudged: boolean }> {
    if (picture === undefined) return { reply: await this.#ask([words], signal), isPictureJudged: false }
    try {
      const shown = { type: 'image_url', image_url: { url: picture } }
      return { reply: await this.#ask([words, shown], signal), isPictureJudged: true }
    } catch (error) {
      if (signal.aborted) throw error
      return { reply: await this.#ask([words], signal), isPictureJudged: false }
    }
  }

  #ask(input: readonly object[], signal: AbortSignal): Promise<unknown> {
    const { url, apiKey, model } = this.#options
    return requestJson(new URL(url), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(apiKey && { authorization: `Bearer ${apiKey.reveal().toString()}` }),
      },
      body: JSON.stringify({ model, input }),
      signal,
    })
  }
}

/** Recorded if the page names a picture that was not judged. */
const UNSEEN_PICTURE = { picture: 'not judged' }

const wordsOf = ({ metadata, text }: Pick<FetchedPage, 'metadata' | 'text'>): string =>
  `${metadata.title}\n${metadata.description}\n${text}`.slice(0, TEXT_MAX_LENGTH)

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
  return [...new Set(named.flatMap(({ categories = {} }) => Object.keys(categories).filter(name => categories[name])))]
}
