import { FEATURE_ACTS, featureListing, NOTE_MAX_LENGTH, type readFeatured } from '../../domain/featured/feature.ts'
import { Button, Form } from '../ui/elements.tsx'
import { Part, Reason } from './page.tsx'
import { type Perform, slugOf, textOf } from './request.ts'

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
