import type { FastifyRequest } from 'fastify'

/** How every browser that people use names itself first. */
const BROWSER = /^(Mozilla|Opera|Lynx|Links|ELinks|w3m)\b/

/**
 * What programs that pretend to be browsers say besides: what they are, whose they are, or where to read about them.
 * Cubot makes telephones.
 */
const PROGRAM =
  /(?<!cu)bot\b|(?<!cu)bots?[/;_-]|robot|crawl|spider|slurp|preview|externalhit|facebot|headless|phantom|puppeteer|playwright|selenium|lighthouse|gtmetrix|pingdom|monitor|uptime|archiver|fetcher|scrap(er|y)|validator|google-|-google|googleother|https?:|www\.|@/i

/**
 * Whether a request is one of a person who looks at a page in a browser: no program, no prefetch, no preview of a link,
 * and not asked for from within another page. What hides well enough is taken for a person.
 */
export function isPersonLooking({ method, headers }: Pick<FastifyRequest, 'method' | 'headers'>): boolean {
  if (method !== 'GET' || !headers.accept?.includes('text/html')) return false
  const purpose = `${headers['sec-purpose']} ${headers.purpose} ${headers['x-purpose']} ${headers['x-moz']}`
  if (/prefetch|prerender|preview/i.test(purpose)) return false
  const into = headers['sec-fetch-dest']
  if (into !== undefined && into !== 'document') return false
  const agent = headers['user-agent'] ?? ''
  return BROWSER.test(agent) && !PROGRAM.test(agent)
}
