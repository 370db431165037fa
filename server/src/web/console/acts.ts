import { ACTS, type Act, type Acted, actOn, type SeenCase } from '../../domain/moderation/console/act.ts'
import { CASES_SHOWN, readCase } from '../../domain/moderation/console/queue.ts'
import { undo } from '../../domain/moderation/console/undo.ts'
import { type ConsoleDependencies, type Fields, groundOf, type Perform, readCaseValue, textOf } from './request.ts'
import { codeOf, explanationOf } from './words.ts'

/** Hides, restores, or leaves as they are: the one case whose button was pressed, or all that are selected. */
export const actOnCases: Perform = async (deps, { view }, form) => {
  const { act, cases } = wanted(form)
  if (!act) return undefined
  const acted: Acted[] = []
  for (const seen of cases) {
    const done = await actOnCase(deps, act, seen, view.session.name, form)
    if (done) acted.push(done)
  }
  return { did: act, acted, ...(cases.length === 0 && { words: 'Nothing changed. Select at least one listing.' }) }
}

/** The action of the pressed button. Undefined if the button is unknown, or the one that does nothing. */
function wanted(form: Fields): { act: Act | undefined; cases: SeenCase[] } {
  const pressed = ACTS.find(act => form[act] !== undefined)
  const act = pressed ?? ACTS.find(each => each === form.several)
  const values = pressed ? [form[pressed]] : [form.case ?? []].flat()
  return { act, cases: values.slice(0, CASES_SHOWN).flatMap(value => readCaseValue(value) ?? []) }
}

async function actOnCase(
  { store, clock }: ConsoleDependencies,
  act: Act,
  seen: SeenCase,
  name: string,
  form: Fields,
): Promise<Acted | undefined> {
  const found = await readCase(store, seen.listingId, 1, seen)
  if (!found) return undefined
  const ground = groundOf(form)
  const by = {
    name,
    explanation: textOf(form.explanation) || explanationOf(act, found),
    ...(act === 'hide' && { reason: ground?.startsWith('law/') ? 'illegal' : codeOf(found) }),
    ...(ground && { ground }),
  }
  return actOn(store, act, seen, by, clock())
}

export const undoLast: Perform = async ({ store, clock }, { view }, form) =>
  (await undo(store, view.session, form.id, clock())) ?? {
    did: 'undo',
    acted: [],
    words: 'That can no longer be undone.',
  }
