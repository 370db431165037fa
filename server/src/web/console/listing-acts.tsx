import { DISPLAY_DAYS } from '@placard/contract'
import { chosenGround } from '../../domain/decisions/grounds.ts'
import { lastAct, operatorNamed } from '../../domain/decisions/record.ts'
import { FEATURE_ACTS, featureListing, NOTE_MAX_LENGTH, type readFeatured } from '../../domain/featured/feature.ts'
import type { Case } from '../../domain/moderation/console/queue.ts'
import { endListing, extendListing, NOT_CHANGED } from '../../domain/moderation/end-dates.ts'
import { endsWithLink } from '../../domain/notifications/owner/new-owner.ts'
import { type LinkIdentity, ownerTokenText } from '../../domain/ownership/owner-token.ts'
import { NOT_REISSUED, reissueLink } from '../../domain/ownership/renew-link.ts'
import { Button, Form } from '../ui/elements.tsx'
import { Minute } from '../ui/time.tsx'
import { SignInAgain } from './entry.tsx'
import { LinkOnce, Part, Reason } from './page.tsx'
import { caseValue, type Perform, readCaseValue, slugOf, textOf } from './request.ts'

/** Ends a listing, or gives it more days. */
export const term: Perform = async ({ store, clock }, { view }, form) => {
  const [slug, explanation, now] = [slugOf(form), textOf(form.explanation), clock()]
  const did = form.to === 'end' ? 'end' : 'extend'
  const seen = readCaseValue(form.case)
  const days = Number(form.days)
  const isRight = did === 'end' || (Number.isInteger(days) && days >= 1 && days <= DISPLAY_DAYS)
  const by = { actor: operatorNamed(view.session.name), seen: seen?.seen ?? null, ground: chosenGround(form.ground) }
  const change = () =>
    did === 'end'
      ? endListing(store, slug, explanation, now, by)
      : extendListing(store, slug, days, explanation, now, { ...by, ground: undefined })
  const ended = explanation && isRight && seen ? await change() : undefined
  if (!ended) return 'The end was not changed. Give a reason and the number of days.'
  const { listing, changed, before, why } = ended
  if (why) return { did, acted: [], words: `${listing.title} ${NOT_CHANGED[why]}. Nothing was changed.` }
  const last = await lastAct(store.db, listing.id)
  const known = changed ? before !== null && { endsAt: Number(before) } : last && { first: last }
  const { title } = listing
  return { did, acted: [{ slug, title, changed, reports: [], findings: [], last: last?.id ?? null, ...known }] }
}

/**
 * Gives the owner of a listing a new private link. The page that answers is the only one that ever shows it: it is not
 * remembered, so reloading that page finds the link already replaced, and changes nothing.
 */
export const reissue: Perform = async ({ store, serviceKeys, links, clock }, { view, request }, form) => {
  const [slug, explanation, linkVersion] = [slugOf(form), textOf(form.explanation), Number(form.version)]
  const by = { name: view.session.name, explanation, linkVersion }
  if (view.session.role !== 'admin') return 'No link was reissued: ask an admin.'
  if (!explanation) return 'No link was reissued: enter how they proved that they are the owner.'
  const reissued = await reissueLink(store, slug, serviceKeys.newest, by, clock(), endsWithLink(serviceKeys))
  if ('refused' in reissued) return `No link was reissued: ${NOT_REISSUED[reissued.refused]}.`
  request.log.info({ slug }, 'a private link was reissued')
  const page = (
    <LinkOnce
      view={view}
      title="A new private link"
      lead="The old link no longer works."
      link={links.privateLink(reissued.link.claimId, ownerTokenText(reissued.token))}
      words="Send it only to the owner, as you would send a password."
      back={[`/console/listing/${slug}`, 'listing']}
    />
  )
  return { page }
}

/** The end of a listing: ending it, or giving it more days. */
export function TermForm({ found, now }: { found: Case; now: number }) {
  const { slug, expiresAt, hiddenAt } = found.listing
  const isFree = expiresAt !== null && hiddenAt === null
  return (
    <Part id="term" title="End date">
      {!isFree && <p class="soft">It {NOT_CHANGED[hiddenAt === null ? 'paid' : 'hidden']}.</p>}
      {isFree && (
        <Form class="console-words" action="/console/term" fields={{ slug, case: caseValue(found) }}>
          <p>
            It {expiresAt > now ? 'ends' : 'ended'} <Minute at={expiresAt} />.
          </p>
          <Reason
            id="term-why"
            label="Why you change the end date"
            hint="Its owner can read this, and appeal an early end."
          />
          <p>
            <label for="days">Days from now</label>
            <input type="number" id="days" name="days" min={1} max={DISPLAY_DAYS} value={DISPLAY_DAYS} required />
          </p>
          <p class="appeal-do">
            <Button name="to" value="extend">
              Extend it
            </Button>
            {expiresAt > now && (
              <Button name="to" value="end">
                End it now
              </Button>
            )}
          </p>
        </Form>
      )}
    </Part>
  )
}

interface ReissueProps {
  slug: string
  link: LinkIdentity | undefined
  /** Whether the operator signed in recently. */
  isRecent: boolean
}

/** For an owner who has lost the private link, and has proved their identity elsewhere. */
export const ReissueForm = ({ slug, link, isRecent }: ReissueProps) => (
  <Part id="link" title="A lost private link">
    {!link && <p class="soft">It was listed by a purchase, so it never had a private link.</p>}
    {link && !isRecent && <SignInAgain back={{ slug }} to="replace the link" />}
    {link && isRecent && (
      <Form class="console-words" action="/console/reissue" fields={{ slug, version: link.linkVersion }}>
        <p>
          First check that the person asking is the owner. The old link stops working immediately. You see the new one
          once.
        </p>
        <Reason
          id="reissue-why"
          label="How they proved it"
          hint="The owner can read this. Write nothing confidential."
        />
        <p>
          <Button>Replace the link, and show the new one</Button>
        </p>
      </Form>
    )}
  </Part>
)

/** Picks a listing, leaves it out of the draws, or takes either back. */
export const feature: Perform = async ({ store, clock }, { view }, form) => {
  const act = FEATURE_ACTS.find(each => each === form.to)
  const [words, at] = [textOf(form.explanation, NOTE_MAX_LENGTH), clock()]
  const by = { name: view.session.name, words, at }
  const done = act && words && (await featureListing(store, act, slugOf(form), by))
  if (!done) return 'Nothing changed. Enter a sentence.'
  return done.changed ? DONE[act] : 'Nothing changed: it was already so, or the listing is down.'
}

const DONE = {
  pick: 'Picked: it is on the home page now.',
  unpick: 'No longer picked.',
  exclude: 'Left out of the draws from now on.',
  include: 'Included in the draws again.',
} as const

interface FeatureProps {
  slug: string
  /** Of the operator. */
  name: string
  state: Awaited<ReturnType<typeof readFeatured>>
}

/** The home page: the operator's pick, and the daily draw. */
export const FeatureForms = ({ slug, name, state: { isPicked, isExcluded } }: FeatureProps) => (
  <Part id="feature" title="On the home page">
    {isPicked ? (
      <FeatureForm slug={slug} to="unpick" label="Why it is no longer picked" button="Take the pick back" />
    ) : (
      <FeatureForm
        slug={slug}
        to="pick"
        label="Why you recommend it"
        hint={`The home page shows this sentence, and that ${name} picked it.`}
        button="Pick it"
      />
    )}
    {isExcluded ? (
      <FeatureForm slug={slug} to="include" label="Why it may be drawn again" button="Include it in the draws" />
    ) : (
      <FeatureForm slug={slug} to="exclude" label="Why it must not be drawn" button="Leave it out of the draws" />
    )}
  </Part>
)

interface FormProps {
  slug: string
  to: (typeof FEATURE_ACTS)[number]
  label: string
  hint?: string
  button: string
}

const FeatureForm = ({ slug, to, label, hint = 'It is stored with the decision.', button }: FormProps) => (
  <Form class="console-words" action="/console/feature" fields={{ slug }}>
    <Reason id={`why-${to}`} label={label} hint={hint} maxLength={NOTE_MAX_LENGTH} />
    <p>
      <Button name="to" value={to}>
        {button}
      </Button>
    </p>
  </Form>
)
