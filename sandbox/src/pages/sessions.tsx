import type { Session } from '../database.ts'
import { dollars, Frame, renderDocument, Second, stateText } from './frame.tsx'

/** Returns the page of the latest payment pages. */
export const renderSessions = (sessions: Session[], now: number): string =>
  renderDocument(
    <Frame title="The sandbox">
      <p class="eyebrow">Payment processor</p>
      <h1>The sandbox</h1>
      <p>
        It stands in for a payment processor, so that everything about paid places can be tried: payments that come
        late, twice or in the wrong order, refunds and disputes.
      </p>
      <h2>Newest payments</h2>
      {sessions.length === 0 ? (
        <p class="none">None yet. One is opened here by every order of a paid place.</p>
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
