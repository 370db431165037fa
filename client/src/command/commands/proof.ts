import { dirname, join } from 'node:path'
import { messageOf, usageError } from '../../error.ts'
import { replaceFile } from '../../file-store/replace-file.ts'
import { shellWord } from '../../service/text.ts'
import type { Command } from '../context.ts'
import { readSubmission } from '../read-arguments.ts'

export const proof: Command = {
  name: 'proof',
  positionals: ['[DESTINATION]'],
  options: ['service', 'journal', 'wait'],
  summary: 'save the proof that a listing was accepted',
  details: [
    'Saves a C2SP tlog-proof next to the journal. It shows offline, years later, that',
    'the listing was accepted at that time: the service cannot take it back. It holds',
    'no secret. It is ready about two seconds after the publish.',
  ],
  example: 'placard-agent proof shop.example',
  async run(context) {
    const { service, destination, key } = await readSubmission(context)
    const text = await context.client(service).proof(destination)
    const name = `${new URL(destination).hostname}-${key.slice(0, 8)}.tlog-proof`
    const file = join(dirname(context.store().name), name)
    await replaceFile(file, text).catch((error: unknown) => {
      throw usageError(
        'proof_unsaved',
        `Cannot write ${file}: ${messageOf(error)}`,
        'Free the disk, or fix the permissions of the folder.',
      )
    })
    return {
      text: [`Saved the proof that ${destination} was accepted:`, file],
      json: { destination, service, file },
      next: `placard-agent verify receipt ${shellWord(file)} --service ${shellWord(service)}`,
    }
  },
}
