/**
 * The process in which pictures are made, see `PictureMaker`: a task comes as a message, the picture goes to standard
 * output after its length. Its own to die of an image or a title, or to run out of memory: it ends at the first fault.
 */
import { writeFileSync } from 'node:fs'
import { drawSharePicture } from './draw.ts'
import { makePicture } from './make-picture.ts'
import type { Task } from './picture-maker.ts'
import { UNUSABLE_EXIT_CODE, UnusableImage } from './picture-size.ts'

goFirst()
// With the service. A decoder that never returns heeds no gentler way.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
process.on('message', async (task: Task) => {
  try {
    const picture = await make(task)
    const length = Buffer.alloc(4)
    length.writeUInt32BE(picture.length)
    process.stdout.write(Buffer.concat([length, picture]))
  } catch (error) {
    process.exit(error instanceof UnusableImage ? UNUSABLE_EXIT_CODE : 1)
  }
})

function make(task: Task): Promise<Buffer> {
  if (task.kind === 'picture') return makePicture(Buffer.from(task.image))
  return drawSharePicture(task.listing, task.picture)
}

/** Where memory runs short, this is the process to end. */
function goFirst(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000')
  } catch {
    // Not on this system.
  }
}
