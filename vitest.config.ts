import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['{contract,sandbox,server,client}/test/**/*.test.{ts,tsx}', 'test/**/*.test.ts'],
    globalSetup: ['server/test/support/temporary.ts', 'server/test/support/postgres.ts'],
    // What takes long to start. `npm run test:fast` leaves these tests out.
    tags: [
      { name: 'browser', description: 'Starts Chromium.' },
      { name: 'postgres', description: 'Needs PostgreSQL; tests of every engine use ENGINES instead.' },
      { name: 'programs', description: 'Starts programs: the service, a command, a decoder of images.' },
      { name: 'slow', description: 'Works or waits for more than five seconds.' },
    ],
    // The tests of this project wait (for databases, browsers, processes that start) as much as they work.
    maxWorkers: Math.max(5, availableParallelism()),
    // Loading the service takes two seconds of CPU, so files that run in the same worker share its modules. A test that
    // replaces something of the whole process puts it back.
    isolate: false,
    env: {
      // Programs that tests start from the source compile it once.
      NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache'),
      // The processes and threads of a service run from the build: `npm run build` after changing them.
      PLACARD_BUILT_SCRIPTS: '1',
    },
    // A busy machine takes minutes for what an idle one does in a second. Only a test that hangs reaches these limits.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
    // What breaks every test of a kind would otherwise take an hour to say so, at these limits.
    bail: 20,
    coverage: {
      include: ['{contract,sandbox,server,client}/src/**/*.{ts,tsx}'],
      reporter: ['text-summary', ['text', { skipFull: true, maxCols: 100 }]],
    },
  },
})
