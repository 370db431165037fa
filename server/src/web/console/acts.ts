import type { GroundId } from '../../domain/decisions/grounds.ts'
import { readHost } from '../../domain/destinations/hostname.ts'
import { AnotherDecides, decideAppeal, RESULTS, type Result } from '../../domain/moderation/appeals/decide-appeal.ts'
import { ACTS, type Act, type Acted, actOn, type SeenCase } from '../../domain/moderation/console/act.ts'
import { CASES_SHOWN, readCase } from '../../domain/moderation/console/queue.ts'
import { type Done, rememberAct, undo } from '../../domain/moderation/console/undo.ts'
import { type SettledPayment, settlePayment } from '../../domain/payments/unplaced.ts'
import {
  type Blocked,
  blockHost,
  type HostRange,
  rangeText,
  unblockHost,
} from '../../domain/review/reviewers/blocked-hosts.ts'
import {
  backFrom,
  blocksPath,
  type ConsoleDependencies,
  type Form,
  readCaseValue,
  say,
  textOf,
  type Visit,
} from './request.ts'
import { codeOf, explanationOf } from './words.ts'

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
  const words = cases.length === 0 ? { words: 'Nothing changed. Select at least one listing.' } : {}
  await rememberAct(deps.store, view.session, { did: act, at: now, acted, ...words })
  return reply.redirect(backFrom(form), 303)
}

/** The action of the pressed button. Undefined if the button is unknown, or the one that does nothing. */
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

const OFFERED: readonly GroundId[] = ['rules/content', 'law/illegal-content', 'law/notice']

/** The rule or law chosen in a form, if it is one that forms offer. */
export const groundOf = ({ ground }: Form): GroundId | undefined => OFFERED.find(each => each === ground)

/** Records what was done at the processor about an unmatched payment. */
export async function settle(deps: ConsoleDependencies, visit: Visit, form: Form) {
  const { store, clock } = deps
  const { view, reply } = visit
  const explanation = textOf(form.explanation)
  const id = typeof form.id === 'string' ? form.id : ''
  const settled = explanation ? await settlePayment(store, id, explanation, view.session.name, clock()) : undefined
  await say(deps, visit, settledWords(explanation, settled))
  return reply.redirect(backFrom(form), 303)
}

function settledWords(explanation: string, settled: SettledPayment | undefined): string {
  if (!explanation) return 'Nothing was settled. Enter what you did about the payment.'
  if (!settled) return 'There is no such unmatched payment.'
  const { paymentId, settledBy, settlement, changed } = settled
  return changed
    ? `The payment ${paymentId} is settled. No money was moved.`
    : `${settledBy} already settled the payment ${paymentId}: ${settlement}. Nothing was changed.`
}

/** Decides an appeal. */
export async function decide(deps: ConsoleDependencies, visit: Visit, form: Form) {
  const { view, reply } = visit
  const explanation = textOf(form.explanation)
  const result = Object.values(RESULTS).find(each => each === form.result)
  const words =
    explanation && result && typeof form.id === 'string'
      ? await decided(deps, form.id, result, { name: view.session.name, explanation })
      : 'Nothing was decided. Give a reason.'
  await say(deps, visit, words)
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
    : `The appeal about ${where} was already decided: ${decision.result}. Nothing was changed.`
}

export async function undoLast({ store, clock }: ConsoleDependencies, { view, reply }: Visit, form: Form) {
  const now = clock()
  const undone = await undo(store, view.session, form.id, now)
  const nothing: Omit<Done, 'id'> = { did: 'undo', at: now, acted: [], words: 'That can no longer be undone.' }
  await rememberAct(store, view.session, undone ?? nothing)
  return reply.redirect('/console', 303)
}

/** Blocks a host, and hides those of its listings that the page showed, if that was asked for. */
export async function block(deps: ConsoleDependencies, visit: Visit, form: Form) {
  const { store, links, clock } = deps
  const { view, reply } = visit
  const read = readHost(String(form.host ?? ''), links.hostname)
  if ('problem' in read) return reply.redirect(blocksPath({ host: String(form.host ?? ''), subdomains: false }), 303)
  const range = { host: read.host, subdomains: form.below === 'yes' }
  const [explanation, ground, name] = [textOf(form.explanation), groundOf(form), view.session.name]
  if (!explanation) {
    await say(deps, visit, 'Nothing was blocked. Give a reason.')
    return reply.redirect(blocksPath(range), 303)
  }
  const blocked =
    form.only === 'hide' ? undefined : await blockHost(store, range, explanation, { name, ground }, clock())
  const by = { name, explanation, reason: 'blocklisted', ...(ground && { ground }) }
  const shown = typeof form.cases === 'string' ? form.cases.split(' ').slice(0, CASES_SHOWN) : []
  const acted: Acted[] = []
  for (const value of form.hide === 'yes' ? shown : []) {
    const seen = readCaseValue(value)
    const done = seen && (await actOn(store, 'hide', seen, by, clock()))
    if (done) acted.push(done)
  }
  await rememberAct(store, view.session, {
    did: 'block',
    at: clock(),
    acted,
    ...(blocked && { words: wordsOf(range, blocked) }),
    ...(blocked?.changed && {
      blocked: { ...range, reason: explanation, decisionId: blocked.block.decisionId },
    }),
  })
  return reply.redirect(blocksPath(range), 303)
}

function wordsOf({ host, subdomains }: HostRange, { block, changed }: Blocked): string {
  if (changed) return `${rangeText({ host, subdomains })} is blocked.`
  const what = rangeText({ host, subdomains: block.subdomains === 1 })
  return `${what} was already blocked, by ${block.blockedBy}. To change that, unblock it first.`
}

/** Ends the block of a host. What was hidden stays hidden. */
export async function unblock({ store, clock }: ConsoleDependencies, { view, reply }: Visit, form: Form) {
  const [host, decisionId] = [String(form.host ?? ''), String(form.id ?? '')]
  const explanation = 'Reviewed again and unblocked'
  const ended = await unblockHost(store, host, explanation, view.session.name, clock(), decisionId)
  const subdomains = ended?.subdomains === 1
  await rememberAct(store, view.session, {
    did: 'unblock',
    at: clock(),
    acted: [],
    words: ended
      ? `${rangeText({ host, subdomains })} is no longer blocked. What was hidden stays hidden.`
      : 'That host was already unblocked. Nothing was changed.',
    ...(ended && { blocked: { host, subdomains, reason: ended.reason, decisionId } }),
  })
  return reply.redirect('/console/blocks', 303)
}
