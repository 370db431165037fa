import { addPasskey, listPasskeys, removePasskey } from '../../domain/moderation/console/passkeys.ts'
import { EntryRefused, isRecent } from '../../domain/moderation/console/sessions.ts'
import {
  type ConsoleUser,
  changeUser,
  INVITATION_DAYS,
  INVITE_PATH,
  inviteUser,
  listUsers,
  nameFrom,
  ROLES,
  UserRefused,
} from '../../domain/moderation/console/users.ts'
import { counted, dayText } from '../../platform/lib/text.ts'
import { Button, Form } from '../ui/elements.tsx'
import { JustDone } from './done.tsx'
import { PasskeyForm, SignInAgain, wordsOf } from './entry.tsx'
import { ConsolePage, Head, LinkOnce, Part } from './page.tsx'
import { answerIn, type ConsoleDependencies, labelOf, type Perform, type Visit } from './request.ts'

/** Adds a passkey of the user. */
export const addOwn: Perform = async (deps, { view, request }, form) => {
  await addPasskey(deps, view.session, labelOf(form), answerIn(request, form, deps))
  return 'The passkey was added.'
}

export const removeOwn: Perform = async ({ store }, { view }, form) =>
  (await removePasskey(store, view.session, form.id))
    ? 'The passkey was removed. Your other sessions have ended.'
    : 'Nothing was removed. Add another passkey before you remove your last one.'

/** What an admin can do to another user: the words of the button, and of the result. */
const CHANGES = {
  admin: ['Make an admin', 'is an admin now'],
  moderator: ['Make a moderator', 'is a moderator now'],
  ended: ['End sessions', 'is signed out everywhere, and open invitations have ended'],
  removed: ['Remove, with all passkeys', 'can no longer sign in'],
} as const
const TO = Object.keys(CHANGES) as (keyof typeof CHANGES)[]

/** Changes, signs out or removes another user, for an admin. */
export const change: Perform = async ({ store, clock }, { view, request }, form) => {
  const [name, by, to] = [String(form.name), view.session.name, TO.find(each => each === form.to)]
  const changed = to && (await changeUser(store, name, to, by, clock()))
  if (!changed) return 'Nothing changed. There is no such user.'
  request.log.info({ by, name, to }, 'console user changed')
  return `${name} ${CHANGES[to][1]}.`
}

/** Shows the link of an invitation, for an admin. It is not remembered, so no other page shows it. */
export const invite: Perform = async ({ store, links, clock }, { view, request }, form) => {
  const [name, by] = [nameFrom(form.name), view.session.name]
  if (!name) return 'A name has up to 40 letters, digits, spaces, dots, dashes and apostrophes.'
  const role = ROLES.find(each => each === form.role)
  const { token } = await inviteUser(store, { name, role }, by, clock())
  request.log.info({ by, name, role }, 'console user invited')
  const page = (
    <LinkOnce
      view={view}
      title={`An invitation for ${name}`}
      lead={`It works once, within ${INVITATION_DAYS} days.`}
      link={`${links.base}${INVITE_PATH}/${token}`}
      words={`Send it only to ${name}. Anyone with this link can sign in under that name.`}
      back={['/console/users', 'users']}
    />
  )
  return { page }
}

/** Why the domain refused an act, for the page that follows. */
export function refusalWords(error: unknown): string {
  if (error instanceof UserRefused) return `Nothing changed: ${error.message}.`
  if (error instanceof EntryRefused) return wordsOf(error.message)
  throw error
}

/** The user's own passkeys, and all users, whom admins can change. Both need a recent sign-in. */
export async function users({ store }: ConsoleDependencies, { view }: Visit) {
  const { session, now } = view
  const [mayChange, isAdmin] = [isRecent(session, now), session.role === 'admin']
  const passkeys = await listPasskeys(store.db, session.name)
  const known = await listUsers(store.db, now)
  return (
    <ConsolePage view={view} title="Users" path="/console/users">
      <Head title="Users">
        You are <bdi>{session.name}</bdi>, {session.role}. Decisions are recorded under your name.
      </Head>
      <JustDone view={view} />
      {!mayChange && (
        <SignInAgain back={{ from: 'users' }} to={isAdmin ? 'change passkeys and users' : 'change your passkeys'} />
      )}
      <Part id="passkeys" title="Your passkeys">
        {passkeys.length === 0 ? (
          <p class="callout">You have none. Add one now, so that you can sign in without a link from the server.</p>
        ) : (
          <ul class="console-log">
            {passkeys.map(passkey => (
              <Passkey key={passkey.id} passkey={passkey} isRemovable={mayChange && passkeys.length > 1} />
            ))}
          </ul>
        )}
        {mayChange && (
          <PasskeyForm action="/console/passkey" look="">
            Add a passkey
          </PasskeyForm>
        )}
      </Part>
      <Part id="users" title="All users">
        <ul class="console-log">
          {known.map(user => (
            <User
              key={`${user.name} ${user.invitedUntil}`}
              user={user}
              isChangeable={mayChange && isAdmin && user.name !== session.name}
            />
          ))}
        </ul>
      </Part>
      {mayChange && isAdmin && <InviteForm />}
    </ConsolePage>
  )
}

interface PasskeyProps {
  passkey: Awaited<ReturnType<typeof listPasskeys>>[number]
  isRemovable: boolean
}

const Passkey = ({ passkey: { id, label, addedAt, usedAt }, isRemovable }: PasskeyProps) => (
  <li class="console-block">
    <div>
      <p>
        <strong>
          <bdi>{label}</bdi>
        </strong>
      </p>
      <p class="host">
        added {dayText(addedAt)}
        {usedAt !== null && ` · last used ${dayText(usedAt)}`}
      </p>
    </div>
    {isRemovable && (
      <Form action="/console/passkey-remove" fields={{ id }}>
        <Button>
          Remove<span class="unseen"> {label}</span>
        </Button>
      </Form>
    )}
  </li>
)

function User({ user, isChangeable }: { user: ConsoleUser; isChangeable: boolean }) {
  const { name, role, invitedBy, passkeys, sessions, lastSignIn, invitedUntil } = user
  const facts = [
    invitedUntil === null ? counted(passkeys, 'passkey') : `invited until ${dayText(invitedUntil)}`,
    sessions > 0 && counted(sessions, 'session'),
    lastSignIn !== null && `last sign-in ${dayText(lastSignIn)}`,
  ]
  return (
    <li>
      <p>
        <strong>
          <bdi>{name}</bdi>
        </strong>
        , {role}
      </p>
      <p class="host">
        {facts.filter(Boolean).join(' · ')}
        {invitedBy !== null && (
          <>
            {' · invited by '}
            <bdi>{invitedBy}</bdi>
          </>
        )}
      </p>
      {isChangeable && (
        <details>
          <summary>
            Change <bdi>{name}</bdi>
          </summary>
          <Form class="appeal-do" action="/console/user" fields={{ name }}>
            {(invitedUntil === null ? TO.filter(to => to !== role) : (['ended'] as const)).map(to => (
              <Button key={to} name="to" value={to}>
                {invitedUntil === null ? CHANGES[to][0] : 'Withdraw the invitation'}
              </Button>
            ))}
          </Form>
        </details>
      )}
    </li>
  )
}

const InviteForm = () => (
  <Part id="invite" title="Invite a user">
    <Form class="console-words" action="/console/invite">
      <p>
        <label for="name">Name</label>
        <input type="text" id="name" name="name" maxLength={40} required autocomplete="off" />
      </p>
      <p class="hint">Decisions are recorded under it. It can’t be changed.</p>
      <p>
        <label for="role">Role</label>
        <select id="role" name="role">
          <option value="moderator">Moderator: decides about listings</option>
          <option value="admin">Admin: also manages users and private links</option>
        </select>
      </p>
      <p>
        <Button look="ink">Make an invitation</Button>
      </p>
    </Form>
  </Part>
)
