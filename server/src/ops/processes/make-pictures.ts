/**
 * The process that makes pictures (see `PictureMaker`). A task arrives as a message; the picture goes to standard
 * output after its length. An image or a title may crash it: it ends at the first fault.
 */
import { draw } from '../../domain/pictures/draw.ts'
import { UNUSABLE_EXIT_CODE, UnusableImage } from '../../domain/pictures/drawing.ts'
import type { Task } from '../../domain/pictures/picture-process.ts'
import { makePicture } from '../../domain/pictures/resize-image.ts'
import { endFirst, leaveSignalsToTheService } from '../../platform/lib/child-process.ts'

endFirst()
leaveSignalsToTheService()
// Ends with the service. A decoder in an endless loop would ignore other signals.
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
  return draw(task.drawing, task.picture)
}
