import { minuteText } from '../ui/time.tsx'

/** One sentence on whether new free listings are open, and until when. Times in Unix milliseconds. */
export function submissionWindow(submissionsEndAt: number | undefined, now: number): string {
  if (submissionsEndAt === undefined) return 'New free listings are open.'
  if (now < submissionsEndAt) return `New free listings are open until ${minuteText(submissionsEndAt)}.`
  return `New free listings have been closed since ${minuteText(submissionsEndAt)}.`
}
