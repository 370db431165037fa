import { HASH_BYTES, readBundle, tilePath } from '@placard/contract/log'
import type { PlacardClient } from '../client.ts'
import { PlacardError } from '../error.ts'
import { Disagreement, orDisagree } from './disagreement.ts'

/** Reads the files of a service's log. It checks only that each file has the size that its name implies. */
export class LogFiles {
  readonly #client: Pick<PlacardClient, 'logFile'>

  constructor(client: Pick<PlacardClient, 'logFile'>) {
    this.#client = client
  }

  /** Returns the latest signed checkpoint. Throws `not_found` if the service has no log. */
  async checkpoint(): Promise<string> {
    // Invalid UTF-8 becomes a character that no note may contain, so that reading the note fails.
    return Buffer.from(await this.#client.logFile('checkpoint')).toString()
  }

  async tile(level: number, index: number, width: number): Promise<Buffer> {
    const path = tilePath(level, index, width)
    const tile = await this.#file(path)
    if (tile.length === width * HASH_BYTES) return tile
    throw new Disagreement('tile_wrong', `The tile ${path} has ${tile.length} bytes instead of ${width * HASH_BYTES}.`)
  }

  /**
   * Returns a bundle. Its entries are split only when they are read, so bundles that were fetched ahead take no more memory
   * than their bytes.
   */
  async bundle(index: number, width: number): Promise<{ entries(): Buffer[] }> {
    const path = tilePath('entries', index, width)
    const bytes = await this.#file(path)
    return {
      entries() {
        const entries = orDisagree('bundle_wrong', () => readBundle(bytes), `${path}: `)
        if (entries.length === width) return entries
        throw new Disagreement('bundle_wrong', `The bundle ${path} has ${entries.length} entries instead of ${width}.`)
      },
    }
  }

  async #file(path: string): Promise<Buffer> {
    try {
      const bytes = await this.#client.logFile(path)
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    } catch (error) {
      const isMissing = error instanceof PlacardError && error.code === 'not_found'
      throw isMissing ? new Disagreement('file_missing', `The log has no ${path}, which its checkpoint covers.`) : error
    }
  }
}

/** Works on several items at once, and yields the results in the order of the items. */
export async function* inOrder<T, R>(items: Iterable<T>, act: (item: T) => Promise<R>): AsyncGenerator<R> {
  const pending: Promise<R>[] = []
  for (const item of items) {
    const result = act(item)
    // The loop below throws this error when it reaches the result.
    result.catch(() => {})
    pending.push(result)
    if (pending.length >= AT_ONCE) yield await (pending.shift() as Promise<R>)
  }
  for (const result of pending) yield await result
}

/** Enough to hide the latency of the network, and little compared with the visitors of a site. */
const AT_ONCE = 6
