import { NO_METADATA } from '../server/dist/domain/review/page.js'
import { configFrom } from '../server/dist/platform/config/config.js'
import { readEnv } from '../server/dist/platform/config/settings.js'
import { startService } from '../server/dist/start.js'

// The real service, which fetches no page and draws no picture ahead, so that a publish measures the store.

const nothingFound = { ratings: [], verifications: [], passwordForms: [], linkedHosts: [] }
const nothingElse = { ...nothingFound, headers: {}, hasScript: false, refreshTo: null, refreshesAtOnce: false }
const service = await startService(configFrom(readEnv()), {
  drawsAhead: false,
  fetchPage: async ({ url, hostname }) => ({
    verdict: 'pass',
    page: {
      ...nothingElse,
      url,
      text: 'Words enough to be listed.',
      metadata: { ...NO_METADATA, title: hostname, description: 'A page.', language: 'en' },
      judged: { pageRules: { verdict: 'pass' }, phrases: { verdict: 'pass' }, parking: [] },
      gist: { fingerprint: '0123456789abcdef', words: ['words', 'enough', 'listed'] },
    },
    certificate: null,
    bodyHash: '0'.repeat(64),
  }),
})
process.once('SIGTERM', () => void service.stop())
console.log(`{"port":${service.port},"engine":"as it logs"}`)
