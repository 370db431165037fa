/**
 * The process in which one image of a stranger is decoded: the image comes on standard input, the picture goes to
 * standard output. Its own to die of, to run out of memory, or to be killed when it takes too long.
 */
import { writeFileSync } from 'node:fs'
import { buffer } from 'node:stream/consumers'
import { makePicture, UnusableImage } from './make-picture.ts'
import { UNUSABLE_EXIT_CODE } from './picture-size.ts'

/** Longer than the service waits: ends what outlives it. A decoder that never returns heeds no gentler way. */
const LIFETIME_MS = 15_000

setTimeout(() => process.kill(process.pid, 'SIGKILL'), LIFETIME_MS).unref()
goFirst()
try {
  const picture = await makePicture(await buffer(process.stdin))
  process.stdout.write(picture)
} catch (error) {
  process.exitCode = error instanceof UnusableImage ? UNUSABLE_EXIT_CODE : 1
}

/** Where memory runs short, this is the process to end. */
function goFirst(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000')
  } catch {
    // Not on this system.
  }
}
