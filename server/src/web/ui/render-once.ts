import { LRUCache } from 'lru-cache'
import { type Tagged, tagged } from '../../platform/http/send.ts'

/**
 * Renders a page only when its data has changed: reading the data is cheap, rendering is not. The page always shows the
 * data just read.
 *
 * @param render must depend only on its data, which must be plain JSON
 * @param pagesMax how many pages to keep: the most recently requested
 */
export function renderOnce<Data>(render: (data: Data) => string, pagesMax = 1): (data: Data) => Tagged {
  const pages = new LRUCache<string, Tagged>({ max: pagesMax })
  return data => {
    const of = JSON.stringify(data)
    const known = pages.get(of)
    if (known) return known
    const page = tagged(Buffer.from(render(data)))
    pages.set(of, page)
    return page
  }
}
