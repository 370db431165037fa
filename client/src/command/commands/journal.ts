import { fileStore } from '../../file-store/index.ts'
import { writeNewJournal } from '../../file-store/journal.ts'
import { counted, shellWord } from '../../service/text.ts'
import { mergeSubmissions } from '../../submissions/move.ts'
import { listSubmissions } from '../../submissions/recover.ts'
import type { Command, Context } from '../context.ts'
import { wrongUsage } from '../read-arguments.ts'

export const exportJournal: Command = {
  name: 'export',
  positionals: ['FILE'],
  options: ['journal'],
  summary: 'copy the journal to a new file, to move it or back it up',
  details: [
    'The file is a journal, too, for its owner only (mode 0600): it holds secrets.',
    'A file that exists is never overwritten.',
  ],
  example: 'placard-agent export placard-backup.jsonl',
  async run(context) {
    const file = fileOf(context)
    const store = context.store()
    const submissions = (await listSubmissions(store)).length
    // A backup of a misspelt journal must not succeed.
    if (submissions === 0) throw wrongUsage(`There is no submission in ${store.name}.`)
    await writeNewJournal(file, await store.read())
    return {
      text: [
        `Copied ${store.name} to ${file}: ${counted(submissions, 'submission')}. The file holds secrets: keep it private.`,
        `On another machine: placard-agent import ${shellWord(file)}`,
      ],
      json: { file, journal: store.name, submissions },
    }
  },
}

export const importJournal: Command = {
  name: 'import',
  positionals: ['FILE'],
  options: ['journal'],
  summary: 'add the submissions of another journal to this one',
  details: [
    'Adds the records that this journal does not have yet, and removes none. Both may',
    'hold submissions of the same destination. The imported file does not change.',
  ],
  example: 'placard-agent import placard-backup.jsonl',
  async run(context) {
    const [source, store] = [fileStore(fileOf(context)), context.store()]
    const { submissions, added } = await mergeSubmissions(source, store)
    if (submissions === 0) throw wrongUsage(`There is no submission in ${source.name}, or no such file.`)
    return {
      text: [
        added === 0
          ? `${source.name} has nothing that ${store.name} does not have.`
          : `Added ${source.name} to ${store.name}: ${counted(submissions, 'submission')}, ${counted(added, 'new record')}.`,
      ],
      json: { file: source.name, journal: store.name, submissions, added },
      next: 'placard-agent list',
    }
  },
}

function fileOf({ positionals }: Context): string {
  const [file] = positionals
  if (file === undefined) throw wrongUsage('Name a file.')
  return file
}
