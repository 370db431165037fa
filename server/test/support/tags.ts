import { readFileSync } from 'node:fs'
import { expect, TestRunner } from 'vitest'

/** Slow things that tests may need: see `vitest.config.ts`. */
type Tag = 'browser' | 'postgres' | 'programs'

/** Whether this run leaves out the tests of a tag, as the fast run does. */
export const leavesOut = (tag: Tag): boolean => TestRunner.matchesTags([]) && !TestRunner.matchesTags([tag])

/** @throws Error in every run if the test that calls this lacks the tag */
export function needs(tag: 'browser' | 'programs'): void {
  const { testPath = '' } = expect.getState()
  const test = TestRunner.getCurrentTest()
  // In a file's own hook no test is running, so the tag must be at the top of the file.
  const isTagged = test
    ? test.tags?.includes(tag)
    : readFileSync(testPath, 'utf8').includes(`module-tag ${tag}`)
  if (!isTagged) throw new Error(`tag this test with "${tag}": npm run test:fast does without`)
}
