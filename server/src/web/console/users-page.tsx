import { listPasskeys } from '../../domain/moderation/console/passkeys.ts'
import { justDoneIn } from '../../domain/moderation/console/undo.ts'
import { type ConsoleUser, INVITATION_DAYS, listUsers } from '../../domain/moderation/console/users.ts'
import { sendHtml } from '../../platform/http/send.ts'
import { dayText } from '../ui/time.tsx'
import { DoneMessage } from './done.tsx'
import { PasskeyForm } from './entry.tsx'
import { type ConsoleView, renderConsole, renderLinkOnce } from './frame.tsx'
import type { ConsoleDependencies, Visit } from './request.ts'
import { counted } from './words.ts'

type Passkeys = Awaited<ReturnType<typeof listPasskeys>>

/** The user's own passkeys, and all users, whom admins can change. */
export async function users({ store, clock }: ConsoleDependencies, { view, reply }: Visit) {
  const done = justDoneIn(view.session, view.now)
  const passkeys = await listPasskeys(store.db, view.session.name)
  const known = await listUsers(store.db, clock())
  const page = renderConsole({
    view,
    title: 'Users',
    path: '/console/users',
    children: (
      <>
        <div class="console-head">
          <h1>Users</h1>
          <p class="lead">
            You are <bdi>{view.session.name}</bdi>, {view.session.role}. Decisions are recorded under your name.
          </p>
        </div>
        {done && <DoneMessage done={done} now={view.now} />}
        <OwnPasskeys passkeys={passkeys} />
        <section class="console-sec" aria-labelledby="users">
          <h2 id="users">All users</h2>
          <ul class="console-log">
            {known.map(user => (
              <User key={`${user.name} ${user.invitedUntil}`} user={user} view={view} />
            ))}
          </ul>
        </section>
        {view.session.role === 'admin' && <InviteForm />}
      </>
    ),
  })
  return sendHtml(reply, 200, page)
}

function OwnPasskeys({ passkeys }: { passkeys: Passkeys }) {
  return (
    <section class="console-sec" aria-labelledby="passkeys">
      <h2 id="passkeys">Your passkeys</h2>
      {passkeys.length === 0 && (
        <p class="callout">You have none. Add one now, so that you can sign in without a link from the server.</p>
      )}
      <ul class="console-log">
        {passkeys.map(({ id, label, addedAt, usedAt }) => (
          <li key={id} class="console-block">
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
            {passkeys.length > 1 && (
              <form method="post" action="/console/passkey-remove">
                <input type="hidden" name="id" value={id} />
                <button class="btn" type="submit">
                  Remove<span class="unseen"> {label}</span>
                </button>
              </form>
            )}
          </li>
        ))}
      </ul>
      <PasskeyForm action="/console/passkey">Add a passkey</PasskeyForm>
    </section>
  )
}

function User({ user, view }: { user: ConsoleUser; view: ConsoleView }) {
  const { name, role, invitedBy, passkeys, sessions, lastSignIn, invitedUntil } = user
  const isOther = view.session.role === 'admin' && name !== view.session.name
  return (
    <li>
      <p>
        <strong>
          <bdi>{name}</bdi>
        </strong>
        , {role}
      </p>
      <p class="host">
        {[
          invitedUntil === null ? counted(passkeys, 'passkey') : `invited until ${dayText(invitedUntil)}`,
          sessions > 0 && counted(sessions, 'session'),
          lastSignIn !== null && `last sign-in ${dayText(lastSignIn)}`,
          invitedBy !== null && `invited by ${invitedBy}`,
        ]
          .filter(Boolean)
          .join(' · ')}
      </p>
      {isOther && (
        <details>
          <summary>
            Change <bdi>{name}</bdi>
          </summary>
          <form class="appeal-do" method="post" action="/console/user">
            <input type="hidden" name="name" value={name} />
            {(invitedUntil === null ? CHANGES.filter(([to]) => to !== role) : WITHDRAW).map(([to, words]) => (
              <button key={to} class="btn" type="submit" name="to" value={to}>
                {words}
              </button>
            ))}
          </form>
        </details>
      )}
    </li>
  )
}

const CHANGES = [
  ['admin', 'Make an admin'],
  ['moderator', 'Make a moderator'],
  ['ended', 'End sessions'],
  ['removed', 'Remove, with all passkeys'],
] as const
const WITHDRAW = [['ended', 'Withdraw the invitation']] as const

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

export const renderInvited = (view: ConsoleView, name: string, link: string): string =>
  renderLinkOnce({
    view,
    heading: `An invitation for ${name}`,
    lead: `It works once, within ${INVITATION_DAYS} days.`,
    link,
    words: `Send it only to ${name}. Anyone with this link can sign in under that name.`,
    back: ['/console/users', 'users'],
  })
