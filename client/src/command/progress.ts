import type { PlacardError } from '../error.ts'
import { plain } from '../service/text.ts'
import type { Io } from './context.ts'
import { failureText } from './print.ts'

const CLEAR_LINE = '\r\u001b[K'

/**
 * Says on stderr why it waits and how long: one line for each wait, and at a terminal a line that counts down. `stop`
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
        `Trying again in ${seconds(Math.max(0, untilMs - Date.now()))}; then ${seconds(leftMs)} are left before giving up.`
      if (!stderr.isTTY) {
        stderr.write(`${line()}\n`)
        return
      }
      const show = () => {
        if (Date.now() > untilMs) stop()
        else stderr.write(CLEAR_LINE + line())
      }
      timer = setInterval(show, 1000)
      // A person who stops waiting need not wait for this.
      timer.unref()
      show()
    },
  }
}

const seconds = (ms: number) => `${Math.ceil(ms / 1000)} s`
