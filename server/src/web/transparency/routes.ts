import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type MonthOfDecisions, readMonths } from '../../domain/decisions/counts.ts'
import type { Store } from '../../platform/db/store.ts'
import { CACHE } from '../../platform/http/headers.ts'
import type { Links } from '../../platform/http/links.ts'
import { OPEN } from '../../platform/http/open-routes.ts'
import { HTML, sendPublic } from '../../platform/http/send.ts'
import { remembered } from '../../platform/lib/cache.ts'
import { renderOnce } from '../ui/render-once.ts'
import { renderTransparency } from './page.tsx'

/** As long as the replies may be cached. */
const KEPT_MS = 300_000

/** What was decided, month by month: as a page, JSON and CSV, from the same counts. */
export async function transparencyRoutes(
  app: FastifyInstance,
  { store, links, clock }: { store: Store; links: Links; clock: () => number },
): Promise<void> {
  const read = remembered(() => readMonths(store), {
    name: 'transparency',
    keyOf: () => '',
    max: 1,
    untilOf: (_, now) => now + KEPT_MS,
  })
  const html = renderOnce((months: MonthOfDecisions[]) => renderTransparency(months, links))
  const json = renderOnce((months: MonthOfDecisions[]) => JSON.stringify({ months }))
  const csv = renderOnce(csvOf)
  give('/transparency', html, HTML)
  give('/transparency.json', json, 'application/json; charset=utf-8')
  give('/transparency.csv', csv, 'text/csv; charset=utf-8')

  function give(path: string, render: typeof html, mediaType: string): void {
    app.get(path, OPEN, async (request: FastifyRequest, reply) =>
      sendPublic(request, reply, render(await read('', clock())), { cache: CACHE.text, tags: [], mediaType }),
    )
  }
}

/** One line for each count. It has only months, names and codes of ours, so nothing needs quotes. */
function csvOf(months: MonthOfDecisions[]): string {
  const lines = months.flatMap(({ month, ...counts }) =>
    Object.entries(counts).flatMap(([what, count]) =>
      typeof count === 'number'
        ? [[month, what, '', count]]
        : Object.entries(count ?? {}).map(([name, value]) => [month, what, name, value]),
    ),
  )
  return [['month', 'what', 'reason', 'count'], ...lines].map(line => `${line.join(',')}\r\n`).join('')
}
