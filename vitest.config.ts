import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['{contract,sandbox,server,client}/test/**/*.test.{ts,tsx}', 'test/**/*.test.ts'],
    globalSetup: ['server/test/support/postgres.ts'],
    // What takes long to start. `npm run test:fast` leaves these tests out.
    tags: [
      { name: 'browser', description: 'Starts Chromium.' },
      { name: 'postgres', description: 'Needs PostgreSQL; tests of every engine use ENGINES instead.' },
      { name: 'programs', description: 'Starts programs: the service, a command, a decoder of images.' },
      { name: 'slow', description: 'Works or waits for more than five seconds.' },
    ],
    // The tests of this project wait (for databases, browsers, processes that start) as much as they work.
    maxWorkers: Math.max(3, availableParallelism()),
    testTimeout: 60_000,
    // A busy machine can take seconds for what an idle one does at once.
    expect: { poll: { timeout: 20_000 } },
    hookTimeout: 60_000,
    coverage: {
      include: ['{contract,sandbox,server,client}/src/**/*.{ts,tsx}'],
      reporter: ['text-summary', ['text', { skipFull: true, maxCols: 100 }]],
    },
  },
})
