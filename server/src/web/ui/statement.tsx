import { type DecisionStatement, STATEMENT_MAX_LENGTH } from '@placard/contract'
import { Minute } from './time.tsx'

const BY: Record<string, string> = {
  automatic: 'automatically',
  operator: 'by a person who runs this site',
  owner: 'by the owner',
  reporter: 'by the reporter',
}

/** The reasons for a decision, for the people affected. */
export function Statement({ statement }: { statement: DecisionStatement }) {
  const { id, decision, decidedAt, decidedBy, ground, facts, scope, contest, appeal } = statement
  const { explanation, ...others } = facts ?? {}
  return (
    <>
      <dl class="record">
        <dt>Decision</dt>
        <dd>{decision}</dd>
        <dt>Decided</dt>
        <dd>
          <Minute at={decidedAt} />, {BY[decidedBy] ?? decidedBy}
        </dd>
        {typeof explanation === 'string' && (
          <>
            <dt>Why</dt>
            <dd dir="auto">{explanation}</dd>
          </>
        )}
        <dt>{ground.kind === 'law' ? 'Law' : 'Rule'}</dt>
        <dd>
          {ground.text} <code>{`${ground.id}@${ground.version}`}</code>
        </dd>
        <dt>Scope</dt>
        <dd>
          {scope.territory} {scope.duration}
        </dd>
        {appeal && (
          <>
            <dt>Appeal</dt>
            <dd>
              <Minute at={appeal.receivedAt} />
              {appeal.statement && (
                <>
                  : <q dir="auto">{appeal.statement}</q>
                </>
              )}
            </dd>
          </>
        )}
        {appeal?.outcome && (
          <>
            <dt>Outcome</dt>
            <dd dir="auto">
              {appeal.outcome.result === 'reversed' ? 'The decision is reversed.' : 'The decision stands.'}{' '}
              {appeal.outcome.explanation}
            </dd>
          </>
        )}
        <dt>What you can do</dt>
        <dd>{contest.how}</dd>
        <dt>Number</dt>
        <dd>
          <code>{id}</code>
        </dd>
      </dl>
      {Object.keys(others).length > 0 && (
        <details>
          <summary>Facts it is based on</summary>
          <pre>{JSON.stringify(others, null, 2)}</pre>
        </details>
      )}
    </>
  )
}

/** The form to appeal a decision. `typed`: a refused statement, to correct. */
export function AppealForm({ action, typed = '' }: { action: string; typed?: string | undefined }) {
  return (
    <form method="post" action={action}>
      <p class="field">
        <label for="statement">Why is this decision wrong?</label>
        <textarea
          id="statement"
          name="statement"
          rows={5}
          maxLength={STATEMENT_MAX_LENGTH}
          required
          dir="auto"
          aria-describedby="statement-once"
        >
          {typed}
        </textarea>
      </p>
      <p class="hint" id="statement-once">
        You can appeal once. A person decides. Never enter your private link here.
      </p>
      <p>
        <button class="btn" type="submit">
          Send the appeal
        </button>
      </p>
    </form>
  )
}

/** Reads the statement. Browsers count a line break as one character, but send two. */
export const typedStatement = (form: unknown): string => {
  const { statement } = (form ?? {}) as { statement?: unknown }
  return typeof statement === 'string' ? statement.replaceAll('\r\n', '\n') : ''
}
