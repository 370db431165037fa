import { type Tagged, tagged } from '../../platform/http/send.ts'

/**
 * Renders a page only when its data has changed: reading the data is cheap, rendering is not. The page always shows the
 * data just read.
 *
 * @param render must depend only on its data, which must be plain JSON
 * @param pagesMax how many pages to keep: the most recently requested
 */
export function renderOnce<Data>(render: (data: Data) => string, pagesMax = 1): (data: Data) => Tagged {
  // In order of last use, so that the one to forget comes first.
  const pages = new Map<string, Tagged>()
  return data => {
    const of = JSON.stringify(data)
    const page = pages.get(of) ?? tagged(Buffer.from(render(data)))
    pages.delete(of)
    pages.set(of, page)
    const [oldest] = pages.keys()
    if (pages.size > pagesMax && oldest !== undefined) pages.delete(oldest)
    return page
  }
}
