import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['{contract,server,client}/test/**/*.test.{ts,tsx}', 'test/**/*.test.ts'],
    globalSetup: ['server/test/support/postgres.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})
