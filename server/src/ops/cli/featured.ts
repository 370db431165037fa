import { featureListing, NOTE_MAX_LENGTH } from '../../domain/featured/feature.ts'
import type { Store } from '../../platform/db/store.ts'
import {
  type Command,
  type CommandOutput,
  decisionCommand,
  needSlug,
  noListing,
  optionText,
  readName,
  storeCommand,
  UsageError,
} from './command.ts'

export const pick = storeCommand({
  name: 'pick',
  usage: 'SLUG --note TEXT --as NAME',
  does: 'recommend a listing on the home page, with your sentence and name',
  argumentsMax: 1,
  options: ['note', 'as'],
  read(values, word) {
    const slug = needSlug('pick', word)
    const note = optionText('note', values.note ?? '', NOTE_MAX_LENGTH)
    if (!note) throw new UsageError('pick needs --note, the sentence that the home page shows')
    if (values.as === undefined) throw new UsageError('pick needs --as, the name that the home page shows')
    return { slug, by: { name: readName(values), words: note } }
  },
  act: (store, { slug, by }) => change(store, 'pick', slug, by),
})

const withReason = (name: 'unpick' | 'exclude' | 'include', does: string): Command =>
  decisionCommand({
    name,
    does,
    act: (store, { subject, name: operator, reason }) =>
      change(store, name, subject, { name: operator, words: reason }),
  })

export const unpick = withReason('unpick', 'stop recommending a listing on the home page')
export const exclude = withReason('exclude', 'leave a listing out of the daily draws')
export const include = withReason('include', 'include an excluded listing in the draws again')

const SAID = {
  pick: ['is picked', 'was already picked'],
  unpick: ['is no longer picked', 'was not picked'],
  exclude: ['is left out of the draws', 'was already left out'],
  include: ['takes part in the draws again', 'was not left out'],
} as const

/** @throws Error if there is no such listing, or it can't be picked */
async function change(
  store: Store,
  act: keyof typeof SAID,
  slug: string,
  by: { name: string; words: string },
): Promise<CommandOutput> {
  const { changed, isDown } = (await featureListing(store, act, slug, { ...by, at: Date.now() })) ?? noListing(slug)
  if (isDown) throw new Error(`${slug} is not published, so it cannot be picked`)
  return [{ slug, changed }, `${slug} ${SAID[act][changed ? 0 : 1]}.`]
}
