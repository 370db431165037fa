import { TestRunner } from 'vitest'

/** Slow things that tests may need: see `vitest.config.ts`. */
type Tag = 'browser' | 'postgres' | 'programs'

/** Whether this run leaves out the tests of a tag, as the fast run does. */
export const leavesOut = (tag: Tag): boolean => TestRunner.matchesTags([]) && !TestRunner.matchesTags([tag])

/** @throws Error in a test that lacks the tag for what it uses */
export function needs(tag: Tag): void {
  if (leavesOut(tag)) throw new Error(`tag this test with "${tag}": the fast run does without`)
}
