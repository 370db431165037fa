import { type GroundId, isGround } from '../../domain/decisions/grounds.ts'
import { operatorNamed } from '../../domain/decisions/record.ts'
import { statusOf } from '../../domain/listings/listing.ts'
import { hideListing, type Moderated, restoreListing } from '../../domain/moderation/moderate.ts'
import { asJson, type Command, type Given, needSlug, readName, readReason, UsageError, withStore } from './command.ts'
import { factsOf } from './list.ts'

const common = { usage: 'SLUG --reason TEXT', words: 1 }

export const hide: Command = {
  ...common,
  name: 'hide',
  does: 'hide a listing; --ground law/illegal-content if the law requires it',
  options: ['reason', 'as', 'ground'],
  run: (given, slug) => moderate('hide', slug, given),
}

export const restore: Command = {
  ...common,
  name: 'restore',
  does: 'show a hidden listing again, or give an ended one a new term',
  options: ['reason', 'as'],
  run: (given, slug) => moderate('restore', slug, given),
}

async function moderate(name: 'hide' | 'restore', word: string | undefined, given: Given): Promise<void> {
  const slug = needSlug(name, word)
  const reason = readReason(name, given)
  const act = name === 'hide' ? hideListing : restoreListing
  const by = { actor: operatorNamed(readName(given)), ...groundFrom(given) }
  await withStore(async store =>
    showModerated(name, slug, await act(store, slug, reason, Date.now(), by), asJson(given)),
  )
}

/** Returns the ground of `--ground` and its reason code. @throws UsageError if there is no such ground */
export function groundFrom({ ground: id }: Given): { ground?: GroundId; reason?: string } {
  if (id === undefined) return {}
  if (id === 'rules/content') return { ground: id }
  if (isGround(id) && id.startsWith('law/')) return { ground: id, reason: 'illegal' }
  throw new UsageError('--ground must be rules/content, law/illegal-content or law/notice')
}

/** Prints what hiding or restoring did. @throws Error if there is no such listing */
function showModerated(
  command: 'hide' | 'restore',
  slug: string,
  moderated: Moderated | undefined,
  asJson: boolean,
): void {
  if (!moderated) throw new Error(`there is no listing "${slug}"; "list" shows the slugs`)
  const status = statusOf(moderated.listing, Date.now())
  if (asJson) {
    return void console.log(
      JSON.stringify({ ...factsOf({ ...moderated.listing, status }), changed: moderated.changed }),
    )
  }
  const already = command === 'hide' ? 'was already hidden' : 'was neither hidden nor ended'
  console.log(`${slug} ${moderated.changed ? 'is now' : `${already}; it is`} ${status}.`)
}
