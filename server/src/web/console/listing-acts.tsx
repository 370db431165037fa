import { DISPLAY_DAYS } from '@placard/contract'
import { lastAct, operatorNamed } from '../../domain/decisions/record.ts'
import { isSlug } from '../../domain/listings/listing.ts'
import type { Case } from '../../domain/moderation/console/queue.ts'
import { rememberAct } from '../../domain/moderation/console/undo.ts'
import { endListing, extendListing, NOT_CHANGED, type TermChanged } from '../../domain/moderation/end-dates.ts'
import { endMail } from '../../domain/notifications/owner/mail-address.ts'
import { renewSecretWith } from '../../domain/notifications/owner/webhook.ts'
import { type LinkIdentity, ownerTokenText } from '../../domain/ownership/owner-token.ts'
import { NOT_REISSUED, reissueLink } from '../../domain/ownership/renew-link.ts'
import { sendHtml } from '../../platform/http/send.ts'
import { Minute } from '../ui/time.tsx'
import { groundOf } from './acts.ts'
import { SignInAgain } from './entry.tsx'
import { renderLinkOnce } from './frame.tsx'
import {
  backFrom,
  type ConsoleDependencies,
  caseValue,
  type Form,
  readCaseValue,
  say,
  textOf,
  type Visit,
} from './request.ts'

/** Ends a listing, or gives it more days. */
export async function term(deps: ConsoleDependencies, visit: Visit, form: Form) {
  const { store, clock } = deps
  const { view, reply } = visit
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
    await say(deps, visit, 'The end was not changed. Give a reason and the number of days.')
    return reply.redirect(backFrom(form), 303)
  }
  await rememberAct(store, view.session, { did, at: now, ...(await toldOf(deps, changed)) })
  return reply.redirect(backFrom(form), 303)
}

async function toldOf({ store }: ConsoleDependencies, { listing, changed, before, why }: TermChanged) {
  const { slug, title } = listing
  if (why) return { acted: [], words: `${title} ${NOT_CHANGED[why]}. Nothing was changed.` }
  const last = await lastAct(store.db, listing.id)
  const acted = { slug, title, changed, reports: [], findings: [], last: last?.id ?? null }
  if (!changed) return { acted: [{ ...acted, ...(last && { first: last }) }] }
  return { acted: [{ ...acted, ...(before !== null && { endsAt: Number(before) }) }] }
}

/**
 * Gives the owner of a listing a new private link. The page that answers is the only one that ever shows it: it is not
 * remembered, so reloading that page finds the link already replaced, and changes nothing.
 */
export async function reissue(deps: ConsoleDependencies, visit: Visit, form: Form) {
  const { store, serviceKeys, links, clock } = deps
  const { view, request, reply } = visit
  const [slug, explanation, linkVersion] = [slugOf(form), textOf(form.explanation), Number(form.version)]
  const by = { name: view.session.name, explanation, linkVersion }
  const mayReissue = view.session.role === 'admin'
  const reissued =
    explanation && mayReissue
      ? await reissueLink(store, slug, serviceKeys.newest, by, clock(), async (trx, id) => {
          await renewSecretWith(trx, serviceKeys, id)
          await endMail(trx, id)
        })
      : undefined
  if (!reissued || 'refused' in reissued) {
    const missing = mayReissue ? 'enter how they proved that they are the owner' : 'ask an admin'
    const why = reissued ? NOT_REISSUED[reissued.refused] : missing
    await say(deps, visit, `No link was reissued: ${why}.`)
    return reply.redirect(backFrom(form), 303)
  }
  request.log.info({ slug }, 'a private link was reissued')
  const page = renderLinkOnce({
    view,
    heading: 'A new private link',
    lead: 'The old link no longer works. Repeating the submission returns the new one.',
    link: links.privateLink(reissued.link.claimId, ownerTokenText(reissued.token)),
    words: 'Send it only to the owner, as you would send a password.',
    back: [`/console/listing/${slug}`, 'listing'],
  })
  return sendHtml(reply, 200, page)
}

const slugOf = ({ slug }: Form): string => (typeof slug === 'string' && isSlug(slug) ? slug : '')

/** The end of a listing: ending it, or giving it more days. */
export function TermForm({ found, now }: { found: Case; now: number }) {
  const { slug, expiresAt, hiddenAt } = found.listing
  const isFree = expiresAt !== null && hiddenAt === null
  return (
    <section class="console-sec" aria-labelledby="term">
      <h2 id="term">End date</h2>
      {!isFree && <p class="soft">It {NOT_CHANGED[hiddenAt === null ? 'paid' : 'hidden']}.</p>}
      {isFree && (
        <form class="console-words" method="post" action="/console/term">
          <input type="hidden" name="slug" value={slug} />
          <input type="hidden" name="case" value={caseValue(found)} />
          <p>
            It {expiresAt > now ? 'ends' : 'ended'} <Minute at={expiresAt} />.
          </p>
          <p>
            <label for="term-why">Why you change the end date</label>
            <input type="text" id="term-why" name="explanation" maxLength={500} required autocomplete="off" />
          </p>
          <p class="hint">Its owner can read this, and appeal an early end.</p>
          <p>
            <label for="days">Days from now</label>
            <input type="number" id="days" name="days" min={1} max={DISPLAY_DAYS} value={DISPLAY_DAYS} required />
          </p>
          <p class="appeal-do">
            <button class="btn" type="submit" name="to" value="extend">
              Extend it
            </button>
            {expiresAt > now && (
              <button class="btn" type="submit" name="to" value="end">
                End it now
              </button>
            )}
          </p>
        </form>
      )}
    </section>
  )
}

/** For an owner who has lost the private link, and has proved their identity elsewhere. */
export function ReissueForm({
  slug,
  link,
  isRecent,
}: {
  slug: string
  link: LinkIdentity | undefined
  isRecent: boolean
}) {
  return (
    <section class="console-sec" aria-labelledby="link">
      <h2 id="link">A lost private link</h2>
      {!link && <p class="soft">It was listed by a purchase, so it never had a private link.</p>}
      {link && !isRecent && <SignInAgain back={{ slug }} to="replace the link" />}
      {link && isRecent && (
        <form class="console-words" method="post" action="/console/reissue">
          <input type="hidden" name="slug" value={slug} />
          <input type="hidden" name="version" value={link.linkVersion} />
          <p>
            First check that the person asking is the owner. The old link stops working immediately. You see the new one
            once.
          </p>
          <p>
            <label for="reissue-why">How they proved it</label>
            <input type="text" id="reissue-why" name="explanation" maxLength={500} required autocomplete="off" />
          </p>
          <p class="hint">The owner can read this. Write nothing confidential.</p>
          <p>
            <button class="btn" type="submit">
              Replace the link, and show the new one
            </button>
          </p>
        </form>
      )}
    </section>
  )
}
