import { hash } from 'node:crypto'
import { createPageFetcher } from '../server/dist/domain/review/fetcher/fetch-page.js'
import { createGuardedFetcher } from '../server/dist/domain/review/fetcher/guarded-fetcher.js'
import { readPage } from '../server/dist/domain/review/page-parser/read-page.js'
import { judge } from '../server/dist/domain/review/reviewers/judge.js'
import { configFrom } from '../server/dist/platform/config/config.js'
import { readEnv } from '../server/dist/platform/config/settings.js'
import { startService } from '../server/dist/start.js'
import { answerQuestions } from './server-process.ts'

// The real service, which reads pages in separate processes; with "here", one that reads them in its own.

const config = configFrom(readEnv())
const fetcher = createGuardedFetcher({
  dnsServers: [],
  connectTo: config.connectTo,
  links: { hostname: '127.0.0.1', agentGuide: '' },
  version: 'bench',
})
const here = createPageFetcher(fetcher, {
  read: async ({ body, url, headers }) => {
    const read = readPage(body, new URL(url), headers)
    return read.verdict === 'reject'
      ? read
      : { ...read, page: { ...read.page, judged: judge(read.page) }, bodyHash: hash('sha256', body) }
  },
})
const service = await startService(config, process.argv.includes('here') ? { fetchPage: here } : {})
answerQuestions(`http://127.0.0.1:${service.port}`)
process.once('SIGTERM', () => void service.stop())
