import type { PlacardError } from '../error.ts'
import { plain } from '../service/text.ts'
import type { Io } from './context.ts'
import { failureText } from './print.ts'

const CLEAR_LINE = '\r\u001b[K'

/**
 * Prints on stderr why the command waits and for how long: one line per wait, with a countdown at a terminal. `stop`
 * ends it.
 */
export function progress({ stderr }: Io) {
  let timer: NodeJS.Timeout | undefined
  const stop = () => {
    if (timer === undefined) return
    clearInterval(timer)
    timer = undefined
    stderr.write(CLEAR_LINE)
  }
  return {
    stop,
    onRetry(error: PlacardError, waitMs: number, leftMs: number): void {
      stop()
      stderr.write(`placard-agent: ${plain(failureText(error))}\n`)
      const untilMs = Date.now() + waitMs
      const line = () =>
        `Retrying in ${seconds(Math.max(0, untilMs - Date.now()))}; giving up ${seconds(leftMs)} after that.`
      if (!stderr.isTTY) {
        stderr.write(`${line()}\n`)
        return
      }
      const show = () => {
        if (Date.now() > untilMs) stop()
        // Only the last row of a line that wraps can be cleared.
        else stderr.write(CLEAR_LINE + line().slice(0, (stderr.columns || Infinity) - 1))
      }
      timer = setInterval(show, 1000)
      // A person who interrupts the wait must not wait for this timer.
      timer.unref()
      show()
    },
  }
}

const seconds = (ms: number) => `${Math.ceil(ms / 1000)} s`
