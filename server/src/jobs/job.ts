import type { Store } from '../storage/store.ts'

/** What a run of a job may use. */
interface Run {
  /** Its transactions fail once another process has the job, so a process that was stopped for a while writes nothing. */
  store: Store
  /** Aborted at a stop, and when another process may have the job: the run ends after the step under way. */
  signal: AbortSignal
  /** Until a run has succeeded since this process got the job. What it remembers from earlier is old. */
  isFirst: boolean
}

/** Does all that is due, in short steps, and ends soon after its signal. @throws whatever went wrong: it is tried again */
export type Step = (run: Run) => Promise<void>

/** Something that the service does by itself, in one process at a time. */
export interface Job {
  name: string
  /** From the end of a run to the next. */
  everyMs: number
  step: Step
}
