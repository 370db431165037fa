/**
 * The thread of long reads (see `ReaderThread`), on its own read-only connection. It ends with the service, or when the
 * service terminates it.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { openReader, runnerOn, withStatementCache } from '../../platform/db/sqlite-connection.ts'
import type { PlainError, ThreadMessage } from '../../platform/db/sqlite-read-thread.ts'
import { type ReadTask, readHere } from '../../platform/db/store.ts'
import '../../domain/boards/closing-order.ts'
import '../../domain/boards/counts.ts'
import '../../domain/boards/past-days.ts'
import '../../domain/featured/draw.ts'
import '../../domain/listings/read-listings.ts'
import '../../domain/listings/search.ts'
import '../../domain/listings/suggest.ts'
import '../../domain/listings/id-ranges.ts'

const runner = runnerOn(withStatementCache(openReader(workerData as string)))

parentPort?.on('message', async ({ id, ...task }: ReadTask & { id: number }) => {
  send(
    await readHere(runner, task).then(
      result => ({ id, result }),
      error => ({ id, error: plain(error) }),
    ),
  )
})
send('open')

function send(message: ThreadMessage): void {
  parentPort?.postMessage(message)
}

const plain = ({ name, message, stack, code }: NodeJS.ErrnoException): PlainError => ({
  name,
  message,
  stack,
  code,
})
