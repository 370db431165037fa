import { ENTER_PATH, LINK_LIFETIME_MS, makeConsoleLink } from '../../domain/moderation/console/sessions.ts'
import {
  type ConsoleUser,
  changeUser,
  type Ended,
  INVITATION_DAYS,
  INVITE_PATH,
  inviteUser,
  listUsers,
  ROLES,
} from '../../domain/moderation/console/users.ts'
import { counted } from '../../platform/lib/text.ts'
import { utcMinute } from '../../platform/lib/time.ts'
import { type Command, checkName, needArgument, printItems, storeCommand, UsageError } from './command.ts'
import { linksOf, withStore } from './with-store.ts'

export const consoleLink = storeCommand({
  name: 'console-link',
  usage: '[NAME]',
  does: 'print a link that opens the operator’s console once, within ten minutes',
  argumentsMax: 1,
  read: (_, word) => checkName('NAME', word),
  async act(store, name, config) {
    const now = Date.now()
    const endsAt = now + LINK_LIFETIME_MS
    const link = `${linksOf(config).base}${ENTER_PATH}/${await makeConsoleLink(store, name, now)}`
    const about = `It opens the console once, for ${name}, until ${utcMinute(endsAt)} UTC. ${SECRET}`
    return [{ link, name, endsAt }, `${link}\n${about}`]
  },
})

export const consoleEnd = storeCommand({
  name: 'console-end',
  usage: 'NAME',
  does: "end an operator's console sessions and unused links",
  argumentsMax: 1,
  read: (_, word) => checkName('NAME', needArgument('console-end', 'the name of an operator', word)),
  async act(store, name) {
    const { sessions, links } = known(name, await changeUser(store, name, 'ended', null, Date.now()))
    const text = `Ended for ${name}: ${counted(sessions, 'session')}, ${counted(links, 'unused link')}.`
    return [{ name, sessions, links }, text]
  },
})

export const consoleInvite = storeCommand({
  name: 'console-invite',
  usage: 'NAME [--role ROLE]',
  does: `print a link with which a console user adds a first passkey, once, within ${INVITATION_DAYS} days; --role: admin or moderator`,
  argumentsMax: 1,
  options: ['role'],
  read(values, word) {
    const name = checkName('NAME', needArgument('console-invite', 'the name of a user', word))
    const role = ROLES.find(each => each === values.role)
    if (values.role !== undefined && !role) throw new UsageError('--role must be admin or moderator')
    return { name, role }
  },
  async act(store, { name, role }, config) {
    const { token, ...invited } = await inviteUser(store, { name, role }, null, Date.now())
    const link = `${linksOf(config).base}${INVITE_PATH}/${token}`
    const text = `${link}
It makes ${name} a console user (${invited.role}), once, until ${utcMinute(invited.endsAt)} UTC.
Send it only to that person. ${SECRET}`
    return [{ link, name, ...invited }, text]
  },
})

export const consoleUsers: Command = {
  name: 'console-users',
  does: 'list console users with their roles, passkeys and sessions, and open invitations',
  run: values =>
    withStore(async store => {
      const none = 'There are no console users. console-invite NAME --role admin invites one.'
      printItems(await listUsers(store.db, Date.now()), values, { none, print: user => console.log(lineOf(user)) })
    }),
}

const lineOf = ({ name, role, passkeys, sessions, lastSignIn, invitedUntil }: ConsoleUser) =>
  [
    `${name} (${role})`,
    invitedUntil === null ? counted(passkeys, 'passkey') : `invited until ${utcMinute(invitedUntil)} UTC`,
    ...(sessions > 0 ? [counted(sessions, 'session')] : []),
    ...(lastSignIn === null ? [] : [`last sign-in ${utcMinute(lastSignIn)} UTC`]),
  ].join(', ')

export const consoleRemove = storeCommand({
  name: 'console-remove',
  usage: 'NAME',
  does: 'remove a console user, with all passkeys, sessions and invitations',
  argumentsMax: 1,
  read: (_, word) => checkName('NAME', needArgument('console-remove', 'the name of a user', word)),
  async act(store, name) {
    known(name, await changeUser(store, name, 'removed', null, Date.now()))
    return [{ name, removed: true }, `${name} can no longer sign in.`]
  },
})

function known(name: string, ended: Ended | undefined): Ended {
  if (!ended) throw new Error(`there is no console user ${name}; "console-users" lists them`)
  return ended
}

const SECRET = 'Anyone with this link can sign in: treat it like a password.'
