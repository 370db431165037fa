import { TestRunner } from 'vitest'

/** What tests may need that takes long to start: see `vitest.config.ts`. */
type Tag = 'browser' | 'postgres' | 'programs'

/** Whether this run leaves out the tests of a tag, as the fast run does. */
export const leavesOut = (tag: Tag): boolean => TestRunner.matchesTags([]) && !TestRunner.matchesTags([tag])

/** @throws Error in a test that is not left out, and yet uses what the run does without */
export function needs(tag: Tag): void {
  if (leavesOut(tag)) throw new Error(`tag this test with "${tag}": the fast run does without`)
}
