import { CONTRACT_VERSION } from './limits.ts'
import { PROOF_HEADER } from './wire.ts'

/** The frame of the OpenAPI document. The operations add their own schemas. */
export const openapiFrame = {
  openapi: '3.1.0' as const,
  info: {
    title: 'Placard agent API',
    version: CONTRACT_VERSION,
    description:
      'Publish one free listing after a customer said yes, recover its receipt, and preview a paid place. No operation charges.',
    license: { name: 'MIT', identifier: 'MIT' },
  },
  tags: [
    { name: 'agent', description: 'Server to server, JSON only.' },
    { name: 'boards', description: 'Public: who paid for which place.' },
  ],
  components: {
    securitySchemes: {
      submissionSecret: {
        type: 'apiKey' as const,
        in: 'header' as const,
        name: PROOF_HEADER,
        description:
          '32 random bytes in hex, made by the client for this one submission. Not an account key. Keep it private.',
      },
    },
  },
}
