import { type DecisionStatement, STATEMENT_MAX_LENGTH } from '@placard/contract'
import { OR_BY_API } from '../../domain/decisions/record.ts'
import { Button, Fact, typedIn } from './elements.tsx'
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
        <Fact name="Decision">{decision}</Fact>
        <Fact name="Decided">
          <Minute at={decidedAt} />, {BY[decidedBy] ?? decidedBy}
        </Fact>
        {typeof explanation === 'string' && (
          <Fact name="Why" dir="auto">
            {explanation}
          </Fact>
        )}
        <Fact name={ground.kind === 'law' ? 'Law' : 'Rule'}>
          {ground.text} <code>{`${ground.id}@${ground.version}`}</code>
        </Fact>
        <Fact name="Scope">
          {scope.territory} {scope.duration}
        </Fact>
        {appeal && (
          <Fact name="Appeal">
            <Minute at={appeal.receivedAt} />
            {appeal.statement && (
              <>
                : <q dir="auto">{appeal.statement}</q>
              </>
            )}
          </Fact>
        )}
        {appeal?.outcome && (
          <Fact name="Outcome" dir="auto">
            {appeal.outcome.result === 'reversed' ? 'The decision is reversed.' : 'The decision stands.'}{' '}
            {appeal.outcome.explanation}
          </Fact>
        )}
        <Fact name="What you can do">{contest.how.replace(OR_BY_API, '')}</Fact>
        <Fact name="Number">
          <code>{id}</code>
        </Fact>
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
        <Button>Send the appeal</Button>
      </p>
    </form>
  )
}

/** Shows what a visitor wrote and could not send. @param next what to do with it */
export const Unsent = ({ typed, next }: { typed: string; next: string }) => (
  <p class="field">
    <label for="typed">What you wrote: {next}</label>
    <textarea id="typed" rows={5} readOnly dir="auto">
      {typed}
    </textarea>
  </p>
)

/** What to do with an appeal that is no longer possible. */
export const COPY_IT = 'copy it, if you still need it'

export const typedStatement = (form: unknown): string => typedIn(form, 'statement')
