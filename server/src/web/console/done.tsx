import type { ComponentChildren } from 'preact'
import type { Acted } from '../../domain/moderation/console/act.ts'
import { canUndo, type Done } from '../../domain/moderation/console/undo.ts'
import { Age } from '../ui/time.tsx'
import { counted, whatDid, whoDid } from './words.ts'

const DID = {
  hide: 'Hidden',
  block: 'Hidden',
  keep: 'Left as it is',
  restore: 'Restored',
  end: 'Ended',
  extend: 'Given more days',
  undo: 'Undone',
} as const

/** The last action, what another operator had done first, and the button to undo it. */
export function DoneMessage({ done, now }: { done: Done; now: number }) {
  const first = done.acted.filter(each => each.first)
  const own = done.acted.filter(each => !each.first)
  return (
    <div class="callout console-done" role="status" data-passing={done.did === 'undo'}>
      <div>
        {done.words && <p>{done.words}</p>}
        {own.length > 0 && <OwnWords done={done} own={own} />}
        {first.map(each => (
          <p key={each.slug}>
            <Title acted={each} /> is unchanged:{' '}
            {each.first && (
              <>
                <bdi>{whoDid(each.first.actor)}</bdi> {whatDid(each.first)} <Age at={each.first.at} now={now} />.
              </>
            )}
          </p>
        ))}
      </div>
      {canUndo(done) && (
        <form method="post" action="/console/undo">
          <input type="hidden" name="id" value={done.id} />
          <button class="btn" type="submit" data-key="u">
            Undo
          </button>
        </form>
      )}
    </div>
  )
}

function OwnWords({ done: { did }, own }: { done: Done; own: Acted[] }) {
  if (did === 'say' || did === 'unblock') return null
  const [only] = own
  const settled = own.reduce((sum, { reports, findings }) => sum + reports.length + findings.length, 0)
  const isNothing = settled === 0 && own.every(({ changed }) => !changed)
  const what: ComponentChildren =
    own.length === 1 && only ? <Title acted={only} /> : <strong>{counted(own.length, 'listing')}</strong>
  if (isNothing) return <p>There was nothing left to decide about {what}.</p>
  return (
    <p>
      {DID[did]}: {what}
      {settled > 0 && `, ${entries(settled)} ${did === 'undo' ? 'open again' : 'settled'}`}.
    </p>
  )
}

const Title = ({ acted: { slug, title } }: { acted: Acted }) => (
  <a href={`/console/listing/${slug}`}>
    <bdi>{title}</bdi>
  </a>
)

const entries = (count: number) => `${count.toLocaleString('en')} ${count === 1 ? 'entry' : 'entries'}`
