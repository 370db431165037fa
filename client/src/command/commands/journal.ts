import { fileStore } from '../../file-store/index.ts'
import { writeNewJournal } from '../../file-store/journal.ts'
import { shellWord } from '../../service/text.ts'
import { mergeSubmissions } from '../../submissions/move.ts'
import { listSubmissions } from '../../submissions/recover.ts'
import type { Command, Context } from '../context.ts'
import { wrongUsage } from '../words.ts'

export const exportJournal: Command = {
  name: 'export',
  words: ['FILE'],
  options: ['journal'],
  summary: 'copy the journal to a new file, to move or keep it',
  details: [
    'The file is a journal itself, for its owner only (mode 0600): it holds secrets.',
    'A file that exists is never overwritten.',
  ],
  example: 'placard-agent export placard-backup.jsonl',
  async run(context) {
    const file = fileOf(context)
    const store = context.store()
    const submissions = (await listSubmissions(store)).length
    await writeNewJournal(file, await store.read())
    return {
      text: [`Copied ${store.name} to ${file}: ${counted(submissions)}. It holds secrets: keep it private.`],
      json: { file, journal: store.name, submissions },
      next: `placard-agent import ${shellWord(file)}`,
    }
  },
}

export const importJournal: Command = {
  name: 'import',
  words: ['FILE'],
  options: ['journal'],
  summary: 'add the submissions of another journal to this one',
  details: [
    'Adds what this journal does not have yet, by key, and loses nothing: both may',
    'hold submissions of one destination. The file itself stays as it is.',
  ],
  example: 'placard-agent import placard-backup.jsonl',
  async run(context) {
    const [source, store] = [fileStore(fileOf(context)), context.store()]
    const { submissions, added } = await mergeSubmissions(source, store)
    if (submissions === 0) throw wrongUsage(`There is no submission in ${source.name}.`)
    return {
      text: [
        added === 0
          ? `Nothing in ${source.name} was new to ${store.name}.`
          : `Added ${source.name} to ${store.name}: ${counted(submissions)}, ${added} new records.`,
      ],
      json: { file: source.name, journal: store.name, submissions, added },
      next: 'placard-agent list',
    }
  },
}

function fileOf({ words }: Context): string {
  const [file] = words
  if (file === undefined) throw wrongUsage('Name a file.')
  return file
}

const counted = (submissions: number) => `${submissions} submission${submissions === 1 ? '' : 's'}`
