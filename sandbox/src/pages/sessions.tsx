import type { Session } from '../database.ts'
import { dollars, Frame, renderDocument, Second, stateText } from './frame.tsx'

/** Returns the page of the latest payment pages. */
export const renderSessions = (sessions: Session[], now: number): string =>
  renderDocument(
    <Frame title="The sandbox">
      <p class="eyebrow">Payment processor</p>
      <h1>The sandbox</h1>
      <p>
        It imitates a payment processor, so that you can test everything about paid places: payments that arrive late,
        twice or in the wrong order, refunds and disputes.
      </p>
      <h2>Newest payments</h2>
      {sessions.length === 0 ? (
        <p class="none">None yet. Every order of a paid place opens one.</p>
      ) : (
        <ul class="list">
          {sessions.map(session => (
            <li key={session.id}>
              <a href={`/sandbox/sessions/${session.id}`} dir="auto">
                {session.description}
              </a>
              <span>
                <strong>{dollars(session.amountCents)}</strong> · {stateText(session, now)} ·{' '}
                <Second at={session.createdAt} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Frame>,
  )
