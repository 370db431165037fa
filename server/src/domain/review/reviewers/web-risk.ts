import type { Secret } from '../../../platform/lib/secret.ts'
import type { Destination } from '../../destinations/destination.ts'
import type { FetchedPage } from '../page.ts'
import { type Opinion, PASS, reject } from '../verdict.ts'
import { fieldsOf, requestJson } from './remote-service.ts'
import type { Reviewer } from './reviewers.ts'

const THREATS = ['MALWARE', 'SOCIAL_ENGINEERING', 'UNWANTED_SOFTWARE']

/** Google Web Risk, which allows commercial use: the lookup of single addresses (`uris:search`). */
export class WebRisk implements Reviewer {
  readonly name = 'web-risk'
  readonly version = '1'
  readonly isOnline = true
  readonly #apiKey: Secret
  readonly #apiUrl: string

  constructor({ apiKey, apiUrl }: { apiKey: Secret; apiUrl: string }) {
    this.#apiKey = apiKey
    this.#apiUrl = apiUrl
  }

  cacheKey(page: FetchedPage, { url }: Destination): string {
    return `${url} ${page.url}`
  }

  async review(page: FetchedPage, { url }: Destination, signal: AbortSignal): Promise<Opinion> {
    for (const uri of new Set([url, page.url])) {
      const threats = await this.#threatsOf(uri, signal)
      if (threats.length > 0) return reject('malicious', undefined, { uri, threats })
    }
    return PASS
  }

  /** @throws Error if the reply is not of the documented shape: `{}`, or a threat of a known type */
  async #threatsOf(uri: string, signal: AbortSignal): Promise<string[]> {
    const search = new URLSearchParams([...THREATS.map(type => ['threatTypes', type]), ['uri', uri]])
    // The key is sent in a header, because addresses are often logged.
    const reply = fieldsOf(
      await requestJson(new URL(`/v1/uris:search?${search}`, this.#apiUrl), {
        headers: { 'x-goog-api-key': this.#apiKey.reveal().toString() },
        signal,
      }),
    )
    if (reply && Object.keys(reply).length === 0) return []
    const types = fieldsOf(reply?.threat)?.threatTypes
    if (!Array.isArray(types) || types.length === 0 || !types.every(type => THREATS.includes(type))) {
      throw new Error('answered in an unknown shape')
    }
    return types
  }
}
