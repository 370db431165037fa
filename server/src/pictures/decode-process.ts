/**
 * The process in which one image of a stranger is decoded: the image comes on standard input, the picture goes to
 * standard output. Its own to die of, to run out of memory, or to be killed when it takes too long.
 */
import { buffer } from 'node:stream/consumers'
import { endFirst } from '../apart.ts'
import { makePicture, UnusableImage } from './make-picture.ts'
import { UNUSABLE_EXIT_CODE } from './picture-size.ts'

/** Longer than the service waits: ends what outlives it. A decoder that never returns heeds no gentler way. */
const LIFETIME_MS = 15_000

setTimeout(() => process.kill(process.pid, 'SIGKILL'), LIFETIME_MS).unref()
endFirst()
try {
  const picture = await makePicture(await buffer(process.stdin))
  process.stdout.write(picture)
} catch (error) {
  process.exitCode = error instanceof UnusableImage ? UNUSABLE_EXIT_CODE : 1
}
