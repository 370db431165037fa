import type { ComponentChildren } from 'preact'
import { ENTER_PATH, type Refusal } from '../../domain/moderation/console/sessions.ts'
import { INVITE_PATH } from '../../domain/moderation/console/users.ts'
import type { ConsoleRole } from '../../platform/db/tables/operator.ts'
import type { Links } from '../../platform/http/links.ts'
import { COMMAND } from '../../platform/lib/package.ts'
import { Button, Form } from '../ui/elements.tsx'
import { Layout } from '../ui/layout.tsx'
import { SignPage } from '../ui/poster.tsx'
import { Unsent } from '../ui/statement.tsx'

interface PasskeyFormProps {
  action: string
  /** The token of an invitation, or the page to return to. */
  fields?: Record<string, string> | undefined
  /** Of the button. */
  look?: string
  children: ComponentChildren
}

/**
 * Signs in with a passkey at `/console/enter`, and creates one elsewhere. A script, `passkey.js`, fills in the passkey's
 * answer.
 */
export function PasskeyForm({ action, fields, look = 'go', children }: PasskeyFormProps) {
  const isNew = action !== ENTER_PATH
  return (
    <Form
      class="console-words"
      action={action}
      data-passkey={isNew ? 'create' : 'get'}
      fields={{ answer: '', ...fields }}
    >
      {isNew && (
        <p>
          <label for="label">Name of this device</label>
          <input type="text" id="label" name="label" maxLength={40} autocomplete="off" placeholder="My phone" />
        </p>
      )}
      <p>
        <Button look={look}>{children}</Button>
      </p>
      <p class="fault" role="status" data-passkey-says />
      <noscript>
        <p>Passkeys need JavaScript. Turn it on for this site, and reload the page.</p>
      </noscript>
    </Form>
  )
}

/** Prints a link that signs in an operator. */
const LinkCommand = () => (
  <p>
    <code>{COMMAND} console-link NAME</code>
  </p>
)

/** In place of forms that need a recent sign-in. @param back fields of the page to return to */
export const SignInAgain = ({ back, to }: { back: Record<string, string>; to: string }) => (
  <div class="callout console-again">
    <p>You signed in more than ten minutes ago. To {to}, sign in again.</p>
    <PasskeyForm action={ENTER_PATH} fields={back} look="ink">
      Sign in again
    </PasskeyForm>
    <p>Without a passkey, use a new link from the server:</p>
    <LinkCommand />
  </div>
)

interface OutsideProps {
  links: Links
  sign: string
  isOpen?: boolean
  heading: string
  children: ComponentChildren
}

const Outside = ({ links, sign, isOpen, heading, children }: OutsideProps) => (
  <Layout links={links} title={heading} description="For the operator." scripts={['passkey.js']}>
    <SignPage sign={sign} {...(isOpen && { tone: 'green' })} heading={heading}>
      {children}
    </SignPage>
  </Layout>
)

/** What a sign-in link shows before it is used. The same for every link, valid or not, and opening it does not use it up. */
export const entry = (links: Links, path: string) => (
  <Outside links={links} sign="STAFF DOOR" isOpen heading="Sign in to the console">
    <p>This link works once, within ten minutes. You then stay signed in for twelve hours.</p>
    <Form action={path}>
      <p>
        <Button look="go">Sign in</Button>
      </p>
    </Form>
  </Outside>
)

/** An invitation. Only the passkey that the user creates uses it up. */
export const invitation = (
  links: Links,
  token: string,
  invited: { name: string; role: ConsoleRole | null },
  problem?: Refusal,
) => (
  <Outside links={links} sign="STAFF DOOR" isOpen heading={`Welcome, ${invited.name}`}>
    {problem && <p class="fault">{wordsOf(problem)}</p>}
    <p>
      You are invited to help run {links.site.name}, as {invited.role === 'admin' ? 'an admin' : 'a moderator'}. Your
      decisions are recorded under the name <bdi>{invited.name}</bdi>.
    </p>
    <p>Create a passkey on this device. It replaces a password: you sign in with your finger, face or PIN.</p>
    <PasskeyForm action={`${INVITE_PATH}/${token}`} fields={{ token }}>
      Create a passkey
    </PasskeyForm>
  </Outside>
)

const OUTSIDE: Record<Refusal | 'left' | 'over' | 'again', { heading: string; words: string }> = {
  none: { heading: 'Sign in to the console', words: 'You are not signed in, or your session has ended.' },
  over: { heading: 'Sign in to the console', words: 'Your session has ended, so nothing changed.' },
  again: { heading: 'Sign in again', words: 'You signed in more than ten minutes ago, so nothing changed.' },
  left: { heading: 'You are signed out', words: 'Your session has ended.' },
  link: {
    heading: 'This link doesn’t work',
    words: 'It was already used, is more than ten minutes old, or is incomplete.',
  },
  invitation: {
    heading: 'This invitation doesn’t work',
    words:
      'It was already used, has expired, was withdrawn, or is incomplete. If you have created your passkey, sign in. Otherwise, ask an admin for a new invitation.',
  },
  unknown: {
    heading: 'We don’t know this passkey',
    words: 'It was removed, or its user was. Ask an admin to invite you again.',
  },
  copied: {
    heading: 'This passkey may have been copied',
    words:
      'It was used elsewhere since you last used it here. Sign in with another passkey and remove this one, or tell an admin.',
  },
  known: { heading: 'This passkey is already in use', words: 'Sign in with it.' },
  challenge: { heading: 'That took too long', words: 'Nothing has changed. Please try again.' },
  failed: {
    heading: 'The passkey wasn’t accepted',
    words: 'Your device must check that it is you. Unlock it by finger, face or PIN, and try again.',
  },
}

export const wordsOf = (why: Refusal) => `${OUTSIDE[why].heading}. ${OUTSIDE[why].words}`

/**
 * For visitors who are not signed in: the way in.
 *
 * @param back fields of the page to return to
 * @param typed the explanation that came too late
 */
export const outside = (links: Links, why: keyof typeof OUTSIDE, back?: Record<string, string>, typed = '') => (
  <Outside links={links} sign="STAFF ONLY" heading={OUTSIDE[why].heading}>
    <p>{OUTSIDE[why].words}</p>
    {typed && <Unsent typed={typed} next="copy it before you sign in" />}
    <PasskeyForm action={ENTER_PATH} fields={back}>
      Sign in with a passkey
    </PasskeyForm>
    <p>No passkey yet? Ask an admin for an invitation. On the server, this prints a link that signs you in:</p>
    <LinkCommand />
    {why === 'none' && (
      <p>
        Already signed in, and coming from another website? <a href="/console">Open the console</a>.
      </p>
    )}
  </Outside>
)
