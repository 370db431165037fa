import { addPasskey, listPasskeys, removePasskey } from '../../domain/moderation/console/passkeys.ts'
import { EntryRefused, isRecent } from '../../domain/moderation/console/sessions.ts'
import { justDoneIn } from '../../domain/moderation/console/undo.ts'
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
import { sendHtml } from '../../platform/http/send.ts'
import { dayText } from '../ui/time.tsx'
import { DoneMessage } from './done.tsx'
import { PasskeyForm, SignInAgain, wordsOf } from './entry.tsx'
import { renderConsole, renderLinkOnce } from './frame.tsx'
import { answerIn, type ConsoleDependencies, type Form, labelOf, say, type Visit } from './request.ts'
import { counted } from './words.ts'

/** Adds a passkey of the user. */
export const addOwn = (deps: ConsoleDependencies, visit: Visit, form: Form) =>
  tell(deps, visit, async () => {
    await addPasskey(deps, visit.view.session, labelOf(form), answerIn(visit.request, form, deps))
    return 'The passkey was added.'
  })

export const removeOwn = (deps: ConsoleDependencies, visit: Visit, form: Form) =>
  tell(deps, visit, async () =>
    (await removePasskey(deps.store, visit.view.session, form.id))
      ? 'The passkey was removed. Your other sessions have ended.'
      : 'Nothing was removed. Add another passkey before you remove your last one.',
  )

/** What an admin can do to another user: the words of the button, and of the result. */
const CHANGES = {
  admin: ['Make an admin', 'is an admin now'],
  moderator: ['Make a moderator', 'is a moderator now'],
  ended: ['End sessions', 'is signed out everywhere, and open invitations have ended'],
  removed: ['Remove, with all passkeys', 'can no longer sign in'],
} as const
const TO = Object.keys(CHANGES) as (keyof typeof CHANGES)[]

/** Changes, signs out or removes another user, for an admin. */
export const change = (deps: ConsoleDependencies, visit: Visit, form: Form) =>
  tell(deps, visit, async () => {
    const [name, by, to] = [String(form.name), visit.view.session.name, TO.find(each => each === form.to)]
    const changed = to && (await changeUser(deps.store, name, to, by, deps.clock()))
    if (!changed) return 'Nothing changed. There is no such user.'
    visit.request.log.info({ by, name, to }, 'console user changed')
    return `${name} ${CHANGES[to][1]}.`
  })

/** Shows the link of an invitation, for an admin. It is not remembered, so no other page shows it. */
export const invite = (deps: ConsoleDependencies, visit: Visit, form: Form) =>
  tell(deps, visit, async () => {
    const [name, by] = [nameFrom(form.name), visit.view.session.name]
    if (!name) return 'A name has up to 40 letters, digits, spaces, dots, dashes and apostrophes.'
    const role = ROLES.find(each => each === form.role)
    const { token } = await inviteUser(deps.store, { name, role }, by, deps.clock())
    visit.request.log.info({ by, name, role }, 'console user invited')
    const page = renderLinkOnce({
      view: visit.view,
      heading: `An invitation for ${name}`,
      lead: `It works once, within ${INVITATION_DAYS} days.`,
      link: `${deps.links.base}${INVITE_PATH}/${token}`,
      words: `Send it only to ${name}. Anyone with this link can sign in under that name.`,
      back: ['/console/users', 'users'],
    })
    return sendHtml(visit.reply, 200, page)
  })

/** Shows the result, or why there is none, on the page of the users. */
async function tell<Page>(deps: ConsoleDependencies, visit: Visit, act: () => Promise<string | Page>) {
  const words = await act().catch(error => {
    if (error instanceof UserRefused) return `Nothing changed: ${error.message}.`
    if (error instanceof EntryRefused) return wordsOf(error.message)
    throw error
  })
  if (typeof words !== 'string') return words
  await say(deps, visit, words)
  return visit.reply.redirect('/console/users', 303)
}

/** The user's own passkeys, and all users, whom admins can change. Both need a recent sign-in. */
export async function users({ store }: ConsoleDependencies, { view, reply }: Visit) {
  const { session, now } = view
  const [done, mayChange, isAdmin] = [justDoneIn(session, now), isRecent(session, now), session.role === 'admin']
  const passkeys = await listPasskeys(store.db, session.name)
  const known = await listUsers(store.db, now)
  const page = renderConsole({
    view,
    title: 'Users',
    path: '/console/users',
    children: (
      <>
        <div class="console-head">
          <h1>Users</h1>
          <p class="lead">
            You are <bdi>{session.name}</bdi>, {session.role}. Decisions are recorded under your name.
          </p>
        </div>
        {done && <DoneMessage done={done} now={now} />}
        {!mayChange && (
          <SignInAgain back={{ from: 'users' }} to={isAdmin ? 'change passkeys and users' : 'change your passkeys'} />
        )}
        <section class="console-sec" aria-labelledby="passkeys">
          <h2 id="passkeys">Your passkeys</h2>
          {passkeys.length === 0 && (
            <p class="callout">You have none. Add one now, so that you can sign in without a link from the server.</p>
          )}
          <ul class="console-log">
            {passkeys.map(passkey => (
              <Passkey key={passkey.id} passkey={passkey} isRemovable={mayChange && passkeys.length > 1} />
            ))}
          </ul>
          {mayChange && (
            <PasskeyForm action="/console/passkey" button="btn">
              Add a passkey
            </PasskeyForm>
          )}
        </section>
        <section class="console-sec" aria-labelledby="users">
          <h2 id="users">All users</h2>
          <ul class="console-log">
            {known.map(user => (
              <User
                key={`${user.name} ${user.invitedUntil}`}
                user={user}
                isChangeable={mayChange && isAdmin && user.name !== session.name}
              />
            ))}
          </ul>
        </section>
        {mayChange && isAdmin && <InviteForm />}
      </>
    ),
  })
  return sendHtml(reply, 200, page)
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
      <form method="post" action="/console/passkey-remove">
        <input type="hidden" name="id" value={id} />
        <button class="btn" type="submit">
          Remove<span class="unseen"> {label}</span>
        </button>
      </form>
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
          <form class="appeal-do" method="post" action="/console/user">
            <input type="hidden" name="name" value={name} />
            {(invitedUntil === null ? TO.filter(to => to !== role) : (['ended'] as const)).map(to => (
              <button key={to} class="btn" type="submit" name="to" value={to}>
                {invitedUntil === null ? CHANGES[to][0] : 'Withdraw the invitation'}
              </button>
            ))}
          </form>
        </details>
      )}
    </li>
  )
}

const InviteForm = () => (
  <section class="console-sec" aria-labelledby="invite">
    <h2 id="invite">Invite a user</h2>
    <form class="console-words" method="post" action="/console/invite">
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
        <button class="btn ink" type="submit">
          Make an invitation
        </button>
      </p>
    </form>
  </section>
)
