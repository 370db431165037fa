import { AnotherDecides, decideAppeal, RESULTS, type Result } from '../../appeals/decide-appeal.ts'
import { ACTS, type Act, type Acted, actOn, type SeenCase } from '../../console/act.ts'
import { type Done, rememberAct } from '../../console/done.ts'
import { CASES_SHOWN, readCase } from '../../console/queue.ts'
import { undo } from '../../console/undo.ts'
import type { GroundId } from '../../decisions/grounds.ts'
import { isSlug } from '../../listings/slug.ts'
import { type SettledPayment, settlePayment } from '../../payments/settle-payment.ts'
import { plainText } from '../../reading/plain-text.ts'
import { readCaseValue } from './case-value.ts'
import { filterFrom, queuePath } from './paths.ts'
import type { ConsoleDependencies, Visit } from './visit.ts'
import { codeOf, explanationOf } from './words.ts'

/** Fields of a form. One that occurs more than once is a list. */
export type Form = Record<string, unknown>

const EXPLANATION_MAX_LENGTH = 500

/** Hides, restores, or leaves as they are: the one case whose button was pressed, or all that are selected. */
export async function actOnCases(deps: ConsoleDependencies, { view, reply }: Visit, form: Form) {
  const { act, cases } = wanted(form)
  if (!act) return reply.redirect(backFrom(form), 303)
  const now = deps.clock()
  const acted: Acted[] = []
  for (const seen of cases) {
    const done = await actOnCase(deps, act, seen, view.session.name, form)
    if (done) acted.push(done)
  }
  const words = cases.length === 0 ? { words: 'Nothing was selected, and nothing was done.' } : {}
  await rememberAct(deps.store, view.session, { did: act, at: now, acted, ...words })
  return reply.redirect(backFrom(form), 303)
}

/** What the pressed button stands for. Without an act, it was none of ours, or the one that does nothing. */
function wanted(form: Form): { act: Act | undefined; cases: SeenCase[] } {
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
  form: Form,
): Promise<Acted | undefined> {
  const found = await readCase(store, seen.listingId, 1)
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

const OFFERED: readonly GroundId[] = ['rules/content', 'law/illegal-content', 'law/notice']

/** The ground that a form names, of those that forms offer. */
export const groundOf = ({ ground }: Form): GroundId | undefined => OFFERED.find(each => each === ground)

/** Notes what was done at the processor about a payment credited to nobody. */
export async function settle(deps: ConsoleDependencies, { view, reply }: Visit, form: Form) {
  const { store, clock } = deps
  const explanation = textOf(form.explanation)
  const id = typeof form.id === 'string' ? form.id : ''
  const settled = explanation
    ? await settlePayment(store, id, explanation, view.session.name, clock())
    : undefined
  await rememberAct(store, view.session, {
    ...{ did: 'say', at: clock(), acted: [], words: settledWords(explanation, settled) },
  })
  return reply.redirect(form.from === 'payments' ? '/console/payments' : backFrom(form), 303)
}

function settledWords(explanation: string, settled: SettledPayment | undefined): string {
  if (!explanation) return 'Say what you did about the payment: nothing was settled.'
  if (!settled) return 'No such payment is credited to nobody.'
  const { paymentId, settledBy, settlement, changed } = settled
  return changed
    ? `The payment ${paymentId} is settled. No money was moved.`
    : `${settledBy} settled the payment ${paymentId} before: ${settlement}. Nothing was changed.`
}

/** Decides an appeal. */
export async function decide(deps: ConsoleDependencies, { view, reply }: Visit, form: Form) {
  const { store, clock } = deps
  const explanation = textOf(form.explanation)
  const result = Object.values(RESULTS).find(each => each === form.result)
  const words =
    explanation && result && typeof form.id === 'string'
      ? await decided(deps, form.id, result, { name: view.session.name, explanation })
      : 'Say why you decide so: nothing was decided.'
  await rememberAct(store, view.session, { did: 'say', at: clock(), acted: [], words })
  return reply.redirect(backFrom(form), 303)
}

async function decided(
  { store, clock }: ConsoleDependencies,
  id: string,
  result: Result,
  by: { name: string; explanation: string },
): Promise<string> {
  const decision = await decideAppeal(store, id, result, by, clock()).catch(error => {
    if (error instanceof AnotherDecides) return error
    throw error
  })
  if (decision instanceof AnotherDecides) return `Nothing was decided: ${decision.message}.`
  if (!decision) return 'There is no such appeal.'
  const where = decision.contested.slug ?? decision.contested.hostname ?? 'a submission'
  return decision.changed
    ? `The appeal about ${where} is decided: ${decision.result}.`
    : `The appeal about ${where} was decided before: ${decision.result}. Nothing was changed.`
}

export async function undoLast({ store, clock }: ConsoleDependencies, { view, reply }: Visit, form: Form) {
  const now = clock()
  const undone = await undo(store, view.session, form.id, now)
  const nothing: Omit<Done, 'id'> = {
    ...{ did: 'undo', at: now, acted: [], words: 'That cannot be undone any more.' },
  }
  await rememberAct(store, view.session, undone ?? nothing)
  return reply.redirect('/console', 303)
}

/** The page that a form came from. */
export const backFrom = (form: Form): string =>
  typeof form.slug === 'string' && isSlug(form.slug)
    ? `/console/listing/${form.slug}`
    : queuePath(filterFrom(form))

export const textOf = (value: unknown): string =>
  typeof value === 'string' ? plainText(value, EXPLANATION_MAX_LENGTH) : ''
