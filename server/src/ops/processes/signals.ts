/** npm forwards to its child what a terminal or a service manager has sent to both. */
const SAME_SIGNAL_MS = 500

/**
 * Listens for the signals that stop a process.
 *
 * @param stop called at the first one
 * @param hasten called at a later one, whose sender does not want to wait
 */
export function onStopSignals(stop: (signal: NodeJS.Signals) => void, hasten: () => void): void {
  let firstAt: number | undefined
  for (const name of ['SIGTERM', 'SIGINT'] as const) {
    process.on(name, signal => {
      const now = performance.now()
      if (firstAt === undefined) {
        firstAt = now
        stop(signal)
      } else if (now - firstAt > SAME_SIGNAL_MS) hasten()
    })
  }
}
