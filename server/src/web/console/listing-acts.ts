import { DISPLAY_DAYS } from '@placard/contract'
import { rememberAct } from '../../console/done.ts'
import { lastAct } from '../../decisions/last-act.ts'
import { operatorNamed } from '../../decisions/record.ts'
import { sendHtml } from '../../http/send.ts'
import { isSlug } from '../../listings/slug.ts'
import { endListing, extendListing, NOT_CHANGED, type TermChanged } from '../../moderation/terms.ts'
import { renewSecretWith } from '../../notices/webhook.ts'
import { ownerTokenText } from '../../ownership/owner-token.ts'
import { NOT_REISSUED, reissueLink } from '../../ownership/reissue-link.ts'
import { backFrom, type Form, groundOf, textOf } from './acts.ts'
import { readCaseValue } from './case-value.ts'
import { renderReissued } from './listing-forms.tsx'
import type { ConsoleDependencies, Visit } from './visit.ts'

/** Ends a listing, or gives it more days. */
export async function term(deps: ConsoleDependencies, { view, reply }: Visit, form: Form) {
  const { store, clock } = deps
  const [slug, explanation, now] = [slugOf(form), textOf(form.explanation), clock()]
  const did = form.to === 'end' ? 'end' : 'extend'
  const seen = readCaseValue(form.case)
  const days = Number(form.days)
  const isRight = did === 'end' || (Number.isInteger(days) && days >= 1 && days <= DISPLAY_DAYS)
  const by = { actor: operatorNamed(view.session.name), seen: seen?.seen ?? null, ground: groundOf(form) }
  const change = async () =>
    did === 'end'
      ? endListing(store, slug, explanation, now, by)
      : extendListing(store, slug, days, explanation, now, { ...by, ground: undefined })
  const changed = explanation && isRight && seen ? await change() : undefined
  if (!changed) {
    const words = 'Say why, and for how many days: its end was not changed.'
    await rememberAct(store, view.session, { did: 'say', at: now, acted: [], words })
    return reply.redirect(backFrom(form), 303)
  }
  await rememberAct(store, view.session, { did, at: now, ...(await toldOf(deps, changed)) })
  return reply.redirect(backFrom(form), 303)
}

async function toldOf({ store }: ConsoleDependencies, { listing, changed, before, why }: TermChanged) {
  const { slug, title } = listing
  if (why) return { acted: [], words: `${title} ${NOT_CHANGED[why]}. Nothing was changed.` }
  const last = await lastAct(store.db, listing.id)
  const acted = [{ ...{ slug, title, changed, reports: [], findings: [] }, last: last?.id ?? null }]
  if (!changed) return { acted: acted.map(each => ({ ...each, ...(last && { first: last }) })) }
  return { acted, ...(before !== null && { endsAt: before }) }
}

/**
 * Gives the owner of a listing a new private link. The page that answers is the only one that ever shows it: it is not
 * remembered, so reloading that page finds the link replaced already, and changes nothing.
 */
export async function reissue(deps: ConsoleDependencies, { view, request, reply }: Visit, form: Form) {
  const { store, serviceKeys, links, clock } = deps
  const [slug, explanation, linkVersion] = [slugOf(form), textOf(form.explanation), Number(form.version)]
  const by = { name: view.session.name, explanation, linkVersion }
  const reissued = explanation
    ? await reissueLink(store, slug, serviceKeys.newest, by, clock(), (trx, id) =>
        renewSecretWith(trx, serviceKeys, id),
      )
    : undefined
  if (!reissued || 'refused' in reissued) {
    const why = reissued ? NOT_REISSUED[reissued.refused] : 'say how the owner has shown who they are'
    const words = `No link was reissued: ${why}.`
    await rememberAct(store, view.session, { did: 'say', at: clock(), acted: [], words })
    return reply.redirect(backFrom(form), 303)
  }
  request.log.info({ slug }, 'a private link was reissued')
  const privateLink = links.privateLink(reissued.link.claimId, ownerTokenText(reissued.token))
  return sendHtml(reply, 200, renderReissued({ view, slug, privateLink }))
}

const slugOf = ({ slug }: Form): string => (typeof slug === 'string' && isSlug(slug) ? slug : '')
