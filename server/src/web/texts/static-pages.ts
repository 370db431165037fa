import type { OutgoingHttpHeaders } from 'node:http'
import { openapiDocument } from '@placard/contract'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../../config.ts'
import { CACHE, COPYING_HEADERS, PAGE_HEADERS } from '../../http/headers.ts'
import type { Links } from '../../http/links.ts'
import { HTML, sendPublic } from '../../http/send.ts'
import type { StripeAccount } from '../../payments/stripe.ts'
import { submissionWindow } from '../directory/submission-window.ts'
import { renderOnce } from '../ui/render-once.ts'
import { agentGuide } from './agent-guide.ts'
import { renderAgents } from './agents.tsx'
import type { ApiDocument } from './api-document.ts'
import { renderApiReference } from './api-reference.tsx'
import { renderHowBoardsWork } from './how-boards-work.tsx'
import { renderLimits } from './limits.tsx'
import { llmsText } from './llms.ts'
import { renderPrivacy } from './privacy.tsx'
import { renderRules } from './rules.tsx'
import { renderSupport } from './support.tsx'

interface StaticPageDependencies {
  links: Links
  stripe: StripeAccount
  limits: Config['limits']
  /** Unix milliseconds. */
  submissionsEndAt: number | undefined
  clock: () => number
}

const MARKDOWN = 'text/markdown; charset=utf-8'
const PLAIN = 'text/plain; charset=utf-8'

/** Text pages: rules, policies, and how to use the service. */
export async function staticPages(app: FastifyInstance, deps: StaticPageDependencies): Promise<void> {
  const { links, limits, stripe, submissionsEndAt, clock } = deps
  const document = () => openapiDocument(links) as unknown as ApiDocument

  page('/rules', () => renderRules(links))
  page('/support', () => renderSupport(links))
  page('/privacy', () => renderPrivacy(links, stripe))
  page('/how-boards-work', () => renderHowBoardsWork(links))
  page('/limits', submissions => renderLimits({ links, limits, submissions, stripe }))
  page('/agents', () => renderAgents(links), HTML, COPYING_HEADERS)
  page('/api', () => renderApiReference(document(), links))
  page('/agent-guide.md', submissions => agentGuide({ links, limits, submissions }), MARKDOWN)
  page('/llms.txt', () => llmsText(links), PLAIN)

  /** These change only with the submission window, so each is rendered once per state of it. */
  function page(
    path: string,
    render: (submissions: string) => string,
    mediaType = HTML,
    headers: OutgoingHttpHeaders = PAGE_HEADERS,
  ): void {
    const rendered = renderOnce(render)
    app.get(path, async (request, reply) =>
      sendPublic(request, reply.headers(headers), rendered(submissionWindow(submissionsEndAt, clock())), {
        cache: CACHE.text,
        tags: [],
        mediaType,
      }),
    )
  }
}
