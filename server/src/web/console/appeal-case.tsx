import type { FoundDecision } from '../../appeals/find-decision.ts'
import { textIn } from '../../appeals/statement.ts'
import { Age } from '../ui/time.tsx'
import { whoDid } from './words.ts'

interface AppealProps {
  contested: FoundDecision
  now: number
  /** Of its listing; left out where it is about none. */
  slug?: string
}

/** An appeal beside the decision that it contests, and the form that decides it. */
export function AppealCase({ contested, now, slug }: AppealProps) {
  const { id, kind, reason, actor, at, appeal } = contested
  if (!appeal) return null
  const field = `why-${id}`
  return (
    <div class="appeal">
      <p class="case-why">
        Appeal against: {kind}, {reason.replaceAll('_', ' ')}
      </p>
      <p class="small">
        <span dir="auto">{textIn(contested, 'explanation')}</span>{' '}
        <span class="soft">
          By <bdi>{whoDid(actor)}</bdi>, <Age at={at} now={now} />
        </span>
      </p>
      <blockquote>
        <p dir="auto">{textIn(appeal, 'statement')}</p>
        <p class="host">
          From the {appeal.actor} · <Age at={appeal.at} now={now} />
        </p>
      </blockquote>
      <form method="post" action="/console/appeal">
        <input type="hidden" name="id" value={id} />
        {slug !== undefined && <input type="hidden" name="slug" value={slug} />}
        <p>
          <label for={field}>Why you decide so</label>
          <input type="text" id={field} name="explanation" maxLength={500} required autocomplete="off" />
        </p>
        <p class="hint">Whoever appealed reads it. This cannot be undone.</p>
        <p class="appeal-do">
          <button class="btn" type="submit" name="result" value="upheld">
            Let it stand
          </button>
          <button class="btn" type="submit" name="result" value="reversed">
            Reverse it
          </button>
        </p>
      </form>
    </div>
  )
}
