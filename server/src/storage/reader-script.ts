/**
 * The thread that does long reads (see `ReaderThread`), on a connection of its own that can only read. It ends with the
 * service, or when that gives it up.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { type ReadTask, readHere } from './long-read.ts'
import { openReader, runnerOn } from './sqlite-reader.ts'
import { withStatementCache } from './statement-cache.ts'

/** What the thread tells: first that it has opened the database, then how each read went. */
export type ThreadMessage = 'open' | ReadSettled
export type ReadSettled = { id: number; result: unknown } | { id: number; error: PlainError }

/** An error as it survives the way between threads, which takes its class and code from it. */
interface PlainError {
  name: string
  message: string
  stack: string | undefined
  code: string | undefined
}

const runner = runnerOn(withStatementCache(openReader(workerData as string)))

parentPort?.on('message', async ({ id, ...task }: ReadTask & { id: number }) => {
  tell(
    await readHere(runner, task).then(
      result => ({ id, result }),
      error => ({ id, error: plain(error) }),
    ),
  )
})
tell('open')

function tell(message: ThreadMessage): void {
  parentPort?.postMessage(message)
}

const plain = ({ name, message, stack, code }: NodeJS.ErrnoException): PlainError => ({
  name,
  message,
  stack,
  code,
})
