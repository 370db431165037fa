import { readFileSync } from 'node:fs'
import { expect, TestRunner } from 'vitest'

/** Slow things that tests may need: see `vitest.config.ts`. */
type Tag = 'browser' | 'postgres' | 'programs' | 'accessibility'

/** Whether this run leaves out the tests of a tag, as the fast run does, and `npm test` those of accessibility. */
export const leavesOut = (tag: Tag): boolean => TestRunner.matchesTags([]) && !TestRunner.matchesTags([tag])

/** @throws Error in every run if the test that calls this lacks the tag */
export function needs(tag: 'browser' | 'programs'): void {
  const test = TestRunner.getCurrentTest()
  const isTagged = test ? test.tags?.includes(tag) : fileOfHook().match(`module-tag ${tag}|'${tag}'`)
  if (!isTagged) throw new Error(`tag this test with "${tag}": npm run test:fast does without`)
}

/** In a hook before all tests of a file or group, no test is running that could be asked for its tags. */
const fileOfHook = () => readFileSync(expect.getState().testPath ?? '', 'utf8')
