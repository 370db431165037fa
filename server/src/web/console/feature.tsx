import { FEATURE_ACTS, featureListing, NOTE_MAX_LENGTH, type readFeatured } from '../../domain/featured/feature.ts'
import { isSlug } from '../../domain/listings/listing.ts'
import { backFrom, type ConsoleDependencies, type Form, say, textOf, type Visit } from './request.ts'

/** Picks a listing, leaves it out of the draws, or takes either back. */
export async function feature(deps: ConsoleDependencies, visit: Visit, form: Form) {
  const { store, clock } = deps
  const { view, reply } = visit
  const act = FEATURE_ACTS.find(each => each === form.to)
  const slug = typeof form.slug === 'string' && isSlug(form.slug) ? form.slug : ''
  const [words, at] = [textOf(form.explanation, NOTE_MAX_LENGTH), clock()]
  const done = act && words && (await featureListing(store, act, slug, { name: view.session.name, words, at }))
  const said = done
    ? done.changed
      ? DONE[act]
      : 'Nothing changed: it was already so, or the listing is down.'
    : MISSING
  await say(deps, visit, said)
  return reply.redirect(backFrom(form), 303)
}

const MISSING = 'Nothing changed. Enter a sentence.'
const DONE = {
  pick: 'Picked: it is on the home page now.',
  unpick: 'No longer picked.',
  exclude: 'Left out of the draws from now on.',
  include: 'Included in the draws again.',
} as const

/** Whether a listing is picked, or left out of the draws. */
export type FeatureState = Awaited<ReturnType<typeof readFeatured>>

interface FeatureProps {
  slug: string
  /** Of the operator. */
  name: string
  state: FeatureState
}

/** The home page: the operator's pick, and the daily draw. */
export const FeatureForms = ({ slug, name, state: { isPicked, isExcluded } }: FeatureProps) => (
  <section class="console-sec" aria-labelledby="feature">
    <h2 id="feature">On the home page</h2>
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
  </section>
)

interface FormProps {
  slug: string
  to: (typeof FEATURE_ACTS)[number]
  label: string
  hint?: string
  button: string
}

const FeatureForm = ({ slug, to, label, hint = 'It is stored with the decision.', button }: FormProps) => (
  <form class="console-words" method="post" action="/console/feature">
    <input type="hidden" name="slug" value={slug} />
    <p>
      <label for={`why-${to}`}>{label}</label>
      <input type="text" id={`why-${to}`} name="explanation" maxLength={NOTE_MAX_LENGTH} required autocomplete="off" />
    </p>
    <p class="hint">{hint}</p>
    <p>
      <button class="btn" type="submit" name="to" value={to}>
        {button}
      </button>
    </p>
  </form>
)
