import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['{contract,server,client}/test/**/*.test.{ts,tsx}', 'test/**/*.test.ts'],
    globalSetup: ['server/test/support/postgres.ts'],
    // The tests of this project wait (for databases, browsers, processes that start) as much as they work.
    maxWorkers: Math.max(3, availableParallelism()),
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
