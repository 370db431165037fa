import { featureListing, NOTE_MAX_LENGTH } from '../../domain/featured/feature.ts'
import { plainText } from '../../platform/lib/text.ts'
import { asJson, type Command, type Given, needSlug, readName, readReason, UsageError, withStore } from './command.ts'

export const pick: Command = {
  name: 'pick',
  usage: 'SLUG --note TEXT --as NAME',
  does: 'recommend a listing on the home page, with your sentence and name',
  words: 1,
  options: ['note', 'as'],
  async run(given, word) {
    const slug = needSlug('pick', word)
    const note = plainText(given.note ?? '', NOTE_MAX_LENGTH)
    if (!note) throw new UsageError('pick needs --note, the sentence that the home page shows')
    if (given.as === undefined) throw new UsageError('pick needs --as, the name that the home page shows')
    await change('pick', slug, note, given)
  },
}

const withReason = (name: 'unpick' | 'exclude' | 'include', does: string): Command => ({
  name,
  usage: 'SLUG --reason TEXT',
  does,
  words: 1,
  options: ['reason', 'as'],
  run: (given, word) => change(name, needSlug(name, word), readReason(name, given), given),
})

export const unpick = withReason('unpick', 'end a pick')
export const exclude = withReason('exclude', 'leave a listing out of the daily draws')
export const include = withReason('include', 'include an excluded listing in the draws again')

const SAID = {
  pick: ['is picked', 'was already picked'],
  unpick: ['is no longer picked', 'was not picked'],
  exclude: ['is left out of the draws', 'was already left out'],
  include: ['takes part in the draws again', 'was not left out'],
} as const

/** @throws Error if there is no such listing, or it can't be picked */
async function change(act: keyof typeof SAID, slug: string, words: string, given: Given): Promise<void> {
  const name = readName(given)
  await withStore(async store => {
    const done = await featureListing(store, act, slug, { name, words, at: Date.now() })
    if (!done) throw new Error(`there is no listing "${slug}"; "list" shows the slugs`)
    if (done.isDown) throw new Error(`${slug} is not published, so it cannot be picked`)
    const { changed } = done
    console.log(asJson(given) ? JSON.stringify({ slug, changed }) : `${slug} ${SAID[act][changed ? 0 : 1]}.`)
  })
}
