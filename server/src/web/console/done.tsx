import type { Acted, SeenCase } from '../../domain/moderation/console/act.ts'
import { canUndo, type Done, justDoneIn, rememberAct, undo } from '../../domain/moderation/console/undo.ts'
import { counted } from '../../platform/lib/text.ts'
import { Button, Form } from '../ui/elements.tsx'
import { Age } from '../ui/time.tsx'
import { ListingLink } from './page.tsx'
import type { Back, ConsoleDependencies, ConsoleView, Perform, Visit } from './request.ts'
import { waitingWords, whatDid, whoDid } from './words.ts'

/** Undoes what the session did last. */
export const undoLast: Perform = async ({ store, clock }, { view }, form) =>
  (await undo(store, view.session, form.id, clock())) ?? {
    did: 'undo',
    acted: [],
    words: 'That can no longer be undone.',
  }

const DID = {
  hide: 'Hidden',
  block: 'Hidden',
  keep: 'Left as it is',
  restore: 'Restored',
  end: 'Ended',
  extend: 'Given more days',
  undo: 'Undone',
} as const

/** A page shown this soon after an action answers its button. Later pages only repeat the result. */
const ANSWERS_MS = 5000

interface JustDoneProps {
  view: ConsoleView
  /** By default, the whole queue. */
  back?: Back
}

/**
 * What the session did just now, what another operator had done first, and the button to undo it. It gets the focus, which
 * was on a button of the page before: the whole page was replaced.
 */
export function JustDone({ view: { session, now }, back = {} }: JustDoneProps) {
  const done = justDoneIn(session, now)
  if (!done) return null
  const own = done.acted.filter(each => !each.first)
  return (
    <div
      class="callout console-done"
      role="status"
      tabIndex={-1}
      autofocus={now - done.at < ANSWERS_MS}
      data-passing={done.did === 'undo'}
    >
      <div>
        {done.words && <p>{done.words}</p>}
        {own.length > 0 && <OwnWords done={done} own={own} />}
        {done.acted.map(
          acted =>
            acted.first && (
              <p key={acted.slug}>
                <ListingLink listing={acted} /> is unchanged: <bdi>{whoDid(acted.first.actor)}</bdi>{' '}
                {whatDid(acted.first)} <Age at={acted.first.at} now={now} />.
              </p>
            ),
        )}
      </div>
      {canUndo(done) && (
        <Form action="/console/undo" fields={{ ...back, id: done.id }}>
          <Button data-key="u">Undo</Button>
        </Form>
      )}
    </div>
  )
}

function OwnWords({ done: { did }, own }: { done: Done; own: Acted[] }) {
  if (did === 'say' || did === 'unblock') return null
  const [only] = own
  const [reports, findings] = [own.flatMap(each => each.reports), own.flatMap(each => each.findings)]
  const settled = waitingWords({ reports: reports.length, findings: findings.length, appeals: 0, payments: 0 })
  const isNothing = settled.length === 0 && own.every(({ changed }) => !changed)
  const what =
    own.length === 1 && only ? <ListingLink listing={only} /> : <strong>{counted(own.length, 'listing')}</strong>
  if (isNothing) return <p>There was nothing left to decide about {what}.</p>
  return (
    <p>
      {DID[did]}: {what}
      {settled.length > 0 && `, ${settled.join(', ')} ${did === 'undo' ? 'open again' : 'settled'}`}.
    </p>
  )
}

/**
 * Acts on cases until the database fails. What was done by then, such as a block, is shown, and can be undone. It is
 * stored before each case, because this process may die.
 */
export async function actOnEach(
  { store, clock }: ConsoleDependencies,
  { request: { log }, view }: Visit,
  done: Pick<Done, 'did' | 'blocked'>,
  cases: readonly SeenCase[],
  act: (seen: SeenCase) => Promise<Acted | undefined>,
): Promise<{ acted: Acted[]; words?: string }> {
  const acted: Acted[] = []
  for (const seen of cases) {
    try {
      if (acted.length > 0 || done.blocked) await rememberAct(store, view.session, { ...done, at: clock(), acted })
      const next = await act(seen)
      if (next) acted.push(next)
    } catch (error) {
      if (acted.length === 0 && !done.blocked) throw error
      log.error({ err: error }, 'could not act on all listings of a form')
      return { acted, words: 'The site could not do the rest. Try again.' }
    }
  }
  return { acted }
}
