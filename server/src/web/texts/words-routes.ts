import type { FastifyInstance } from 'fastify'
import type { Config } from '../../config.ts'
import { CACHE } from '../../http/headers.ts'
import type { Links } from '../../http/links.ts'
import { HTML, sendPublic } from '../../http/send.ts'
import type { Processor } from '../../payments/processor.ts'
import { submissionWindow } from '../directory/submission-window.ts'
import { renderOnce } from '../ui/render-once.ts'
import { agentGuide } from './agent-guide.ts'
import type { ApiDocument } from './api-document.ts'
import { renderApiReference } from './api-reference.tsx'
import { renderHowBoardsWork } from './how-boards-work.tsx'
import { renderLimits } from './limits.tsx'
import { llmsText } from './llms.ts'
import { renderPrivacy } from './privacy.tsx'
import { renderRules } from './rules.tsx'
import { renderSupport } from './support.tsx'

interface WordsDependencies {
  links: Links
  processor: Processor
  limits: Config['limits']
  /** Unix milliseconds. */
  submissionsEndAt: number | undefined
  clock: () => number
}

const MARKDOWN = 'text/markdown; charset=utf-8'
const PLAIN = 'text/plain; charset=utf-8'

/** The pages of words: what is promised, what is kept, and how to use the service. */
export async function wordsRoutes(app: FastifyInstance, deps: WordsDependencies): Promise<void> {
  const { links, limits, processor, submissionsEndAt, clock } = deps
  const document = () => app.swagger() as unknown as ApiDocument

  words('/rules', () => renderRules(links))
  words('/support', () => renderSupport(links))
  words('/privacy', () => renderPrivacy(links, processor))
  words('/how-boards-work', () => renderHowBoardsWork(links))
  words('/limits', submissions => renderLimits({ links, limits, submissions, processor }))
  words('/api', () => renderApiReference(document(), links))
  words('/agent-guide.md', submissions => agentGuide({ links, limits, submissions }), MARKDOWN)
  words('/llms.txt', () => llmsText(links), PLAIN)

  /** These change with the submission window and nothing else, so each is made once for every state of it. */
  function words(path: string, render: (submissions: string) => string, mediaType = HTML): void {
    const page = renderOnce(render)
    app.get(path, async (request, reply) =>
      sendPublic(request, reply, page(submissionWindow(submissionsEndAt, clock())), {
        cache: CACHE.text,
        mediaType,
      }),
    )
  }
}
