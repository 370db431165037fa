import { configFrom } from '../server/dist/platform/config/config.js'
import { readEnv } from '../server/dist/platform/config/settings.js'
import { startService } from '../server/dist/start.js'
import { answerQuestions } from './server-process.ts'

// The real service with one part replaced: every fetch passes, so that a publish measures the store.

const service = await startService(configFrom(readEnv()), {
  fetchPage: async ({ url, hostname }) => ({
    verdict: 'pass',
    page: {
      url,
      headers: {},
      metadata: {
        title: hostname,
        description: 'A page of the benchmark.',
        siteName: '',
        language: 'en',
        imageUrl: null,
      },
      text: 'Words enough to be listed.',
      hasScript: false,
      ratings: [],
      verifications: [],
      refreshTo: null,
      passwordForms: [],
      linkedHosts: [],
      judged: { pageRules: { verdict: 'pass' }, phrases: { verdict: 'pass' }, parking: [] },
      gist: { fingerprint: '0123456789abcdef', words: ['words', 'enough', 'listed'] },
    },
    certificate: null,
    bodyHash: '0'.repeat(64),
  }),
})
answerQuestions(`http://127.0.0.1:${service.port}`)
process.once('SIGTERM', () => void service.stop())
