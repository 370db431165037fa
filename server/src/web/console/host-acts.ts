import { type Acted, actOn } from '../../console/act.ts'
import { rememberAct } from '../../console/done.ts'
import { CASES_SHOWN } from '../../console/queue.ts'
import { readHost } from '../../destinations/read-host.ts'
import { rangeText } from '../../moderation/block-commands.ts'
import { type Blocked, blockHost, type HostRange, unblockHost } from '../../review/blocked-hosts.ts'
import { type Form, groundOf, textOf } from './acts.ts'
import { readCaseValue } from './case-value.ts'
import { blocksPath } from './paths.ts'
import type { ConsoleDependencies, Visit } from './visit.ts'

/** Blocks a host, and hides those of its listings that the page showed, if that was asked for. */
export async function block(deps: ConsoleDependencies, { view, reply }: Visit, form: Form) {
  const { store, links, clock } = deps
  const read = readHost(String(form.host ?? ''), links.hostname)
  if ('problem' in read)
    return reply.redirect(blocksPath({ host: String(form.host ?? ''), subdomains: false }), 303)
  const range = { host: read.host, subdomains: form.below === 'yes' }
  const [explanation, ground, name] = [textOf(form.explanation), groundOf(form), view.session.name]
  if (!explanation) {
    const words = 'Say why you block it: nothing was done.'
    await rememberAct(store, view.session, { did: 'say', at: clock(), acted: [], words })
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
    ...{ did: 'block', at: clock(), acted },
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
  return `${what} was blocked before, by ${block.blockedBy}. To change that, end the block first.`
}

/** Ends the block of a host. What was hidden stays hidden. */
export async function unblock({ store, clock }: ConsoleDependencies, { view, reply }: Visit, form: Form) {
  const [host, decisionId] = [String(form.host ?? ''), String(form.id ?? '')]
  const explanation = 'Looked at again, and no longer blocked'
  const ended = await unblockHost(store, host, explanation, view.session.name, clock(), decisionId)
  const subdomains = ended?.subdomains === 1
  await rememberAct(store, view.session, {
    ...{ did: 'unblock', at: clock(), acted: [] },
    words: ended
      ? `${rangeText({ host, subdomains })} is no longer blocked. What was hidden stays hidden.`
      : 'That block had been ended before. Nothing was changed.',
    ...(ended && { blocked: { host, subdomains, reason: ended.reason, decisionId } }),
  })
  return reply.redirect('/console/blocks', 303)
}
