/** What came of a fault. */
export interface Outcome {
  figures: string
  /** What must not be; empty if the promise was kept. */
  faults: string[]
}
