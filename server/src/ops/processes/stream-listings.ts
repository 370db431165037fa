/**
 * The thread that reads streams of listings (see `ListingStreams`), part by part, as their readers take them. It ends
 * when the service terminates it.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort } from 'node:worker_threads'
import { StreamParts } from '../../domain/listings/stream-parts.ts'
import type { FromThread, ToThread } from '../../domain/listings/streams.ts'
import { yieldToTheService } from '../../platform/lib/child-process.ts'

// On Linux, 0 means this thread. Elsewhere it would mean the whole service.
if (process.platform === 'linux') yieldToTheService(0, 10)

/** How long the thread rests after a part, compared with the time that the part took. */
const PAUSE_FACTOR = 5

const streams = new Map<number, Promise<StreamParts>>()

parentPort?.on('message', (message: ToThread) => {
  const { id } = message
  act(message).catch(error => send({ id, error: (error as Error).message }))
})

async function act(message: ToThread): Promise<void> {
  const { id } = message
  if ('open' in message) {
    const opening = StreamParts.open(message.open)
    streams.set(id, opening)
    await opening
    send({ id, opened: true })
  } else if ('next' in message) {
    const startedAt = performance.now()
    const part = await (await streams.get(id))?.next()
    // On a machine with few processors, a low priority alone would not keep requests from waiting.
    await sleep(PAUSE_FACTOR * (performance.now() - startedAt))
    if (part) parentPort?.postMessage({ id, part } satisfies FromThread, [part.bytes.buffer])
  } else {
    const closing = streams.get(id)
    streams.delete(id)
    await closing?.then(stream => stream.close())
  }
}

function send(message: FromThread): void {
  parentPort?.postMessage(message)
}
