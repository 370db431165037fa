import { readFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type Reporter, type TestSpecification, type Vite, type Vitest } from 'vitest/node'

/** What breaks every test of a kind would otherwise take hours to say so, at the time limits below. */
const BROKEN_MAX = 20

/** Ends a run with this many broken files: `bail` counts tests, and those of a file whose hook fails are skipped. */
class FileBail implements Reporter {
  #vitest: Vitest | undefined
  #broken = 0

  onInit(vitest: Vitest): void {
    this.#vitest = vitest
    this.#broken = 0
  }

  onTestModuleEnd(file: { state(): string }): void {
    if (file.state() === 'failed' && ++this.#broken === BROKEN_MAX) void this.#vitest?.cancelCurrentRun('test-failure')
  }
}

/**
 * Starts with the files that take long: the others would end before them. Those of `test/repository` come first,
 * because they mostly wait, and the others use the processor meanwhile. Vitest knows times only after a first run.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const turn = ({ moduleId }: TestSpecification) =>
      moduleId.includes('/test/repository/') ? 0 : readFileSync(moduleId, 'utf8').includes('@module-tag slow') ? 1 : 2
    return sorted.toSorted((one, other) => turn(one) - turn(other))
  }
}

const SOURCE = /^(contract|sandbox|server|client)\/src\/(.+)\.tsx?$/
const BUILT = /\/(contract|sandbox|server|client)\/dist\//

/**
 * Replaces modules of the source by those of the build, which Node loads itself. Loading them through Vite, and calling
 * from one to another, takes a fifth of what the tests compute.
 */
const useBuild: Vite.Plugin = {
  name: 'use-build',
  enforce: 'pre',
  resolveId(id, importer) {
    const path = importer && id.startsWith('.') ? relative(import.meta.dirname, join(importer, '..', id)) : ''
    const [, workspace, name] = SOURCE.exec(path) ?? []
    return workspace && join(import.meta.dirname, workspace, 'dist', `${name}.js`)
  },
}

/** The npm scripts build first and then run in the mode `built`. Otherwise, tests import the source as it is now. */
export default defineConfig(({ mode }) => ({
  plugins: mode === 'built' ? [useBuild] : [],
  test: {
    server: { deps: { external: mode === 'built' ? [BUILT] : [] } },
    include: ['{contract,sandbox,server,client}/test/**/*.test.{ts,tsx}', 'test/**/*.test.ts'],
    globalSetup: ['server/test/support/temporary.ts', 'server/test/support/postgres.ts'],
    // What takes long. `npm run test:fast` leaves these tests out.
    tags: [
      { name: 'browser', description: 'Starts Chromium.' },
      { name: 'postgres', description: 'Needs PostgreSQL; see support/engines.ts for tests of each engine.' },
      { name: 'programs', description: 'Starts programs: the service, a command, a decoder of images.' },
      { name: 'slow', description: 'Works or waits for more than five seconds.' },
      { name: 'accessibility', description: 'Inspects each state of pages. `npm test` leaves it to `npm run check`.' },
    ],
    // Most tests also wait for databases, browsers, and processes that start. On two cores, five workers take 0.85 of
    // the time of three, and leave a twentieth of the processor idle. Seven leave none, with the same CPU time.
    maxWorkers: availableParallelism() + 5,
    // Loading the service takes two seconds of CPU, so files that run in the same worker share its modules. A test that
    // replaces something of the whole process puts it back.
    isolate: false,
    env: {
      // Programs that tests start from the source compile it once.
      NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache'),
      // The processes and threads of a service run from the build: `npm run build` after changing them.
      PLACARD_BUILT_SCRIPTS: '1',
      // Drawing takes time that only tests about it have.
      PLACARD_DRAWS_AHEAD: 'no',
    },
    sequence: { sequencer: LongestFirst },
    // A busy machine takes minutes for what an idle one does in a second. Only a test that hangs reaches these limits.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 300_000 } },
    // It also counts the groups that a failed test is in.
    bail: 3 * BROKEN_MAX,
    reporters: ['default', ...(process.env.GITHUB_ACTIONS ? ['github-actions'] : []), new FileBail()],
    coverage: {
      include: ['{contract,sandbox,server,client}/src/**/*.{ts,tsx}'],
      reporter: ['text-summary', ['text', { skipFull: true, maxCols: 100 }]],
    },
  },
}))
