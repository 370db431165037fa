import { type Tagged, tagged } from '../../http/send.ts'

/**
 * Renders again only when what is shown changed: asking the store is cheap, and building a page is not. Nothing is ever
 * shown that is older than what was just read.
 *
 * @param render must depend on nothing but its data, which must be plain JSON
 * @param pagesMax how many pages are kept: the ones asked for last
 */
export function renderOnce<Data>(render: (data: Data) => string, pagesMax = 1): (data: Data) => Tagged {
  // In the order in which they were asked for, so that the one to forget stands first.
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
