import { textIn } from '../../appeals/statement.ts'
import type { Decision } from '../../decisions/chain.ts'
import { Minute } from '../ui/time.tsx'
import { whoDid } from './words.ts'

/** Decisions, newest first, each with who took it and why. */
export function History({ decisions }: { decisions: readonly (Decision & { slug?: string | null })[] }) {
  return (
    <ol class="console-log">
      {decisions.map(decision => {
        const { id, kind, reason, actor, at, slug } = decision
        const other = textIn(decision, 'host') ?? textIn(decision, 'paymentId')
        return (
          <li key={id}>
            <p>
              <strong>{kind.replaceAll('_', ' ')}</strong>{' '}
              <span class="soft">{reason.replaceAll('_', ' ')}</span> by <bdi>{whoDid(actor)}</bdi>
              {other && (
                <>
                  {': '}
                  <bdi dir="ltr">{other}</bdi>
                </>
              )}
              {slug && (
                <>
                  {': '}
                  <a href={`/console/listing/${slug}`}>{slug}</a>
                </>
              )}
            </p>
            <p dir="auto">{textIn(decision, 'explanation') ?? textIn(decision, 'statement')}</p>
            <p class="host">
              <Minute at={at} />
            </p>
          </li>
        )
      })}
    </ol>
  )
}
