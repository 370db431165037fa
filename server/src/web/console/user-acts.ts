import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  type Answer,
  addPasskey,
  enterInvited,
  newOptions,
  PasskeyRefused,
  removePasskey,
  signIn,
} from '../../domain/moderation/console/passkeys.ts'
import { type ConsoleSession, ENTER_PATH } from '../../domain/moderation/console/sessions.ts'
import { rememberAct } from '../../domain/moderation/console/undo.ts'
import {
  changeUser,
  findInvitation,
  INVITE_PATH,
  inviteUser,
  nameFrom,
  ROLES,
  UserRefused,
} from '../../domain/moderation/console/users.ts'
import { rateLimit } from '../../platform/http/rate-limits/rate-limit.ts'
import { requireSameOrigin } from '../../platform/http/request-checks.ts'
import { sendHtml } from '../../platform/http/send.ts'
import { TEN_MINUTES_MS } from '../../platform/lib/time.ts'
import { giveChallenge, giveConsole, sentChallenge } from '../ui/cookies.ts'
import { type Form, textOf } from './acts.ts'
import { renderInvitation, renderOutside, wordsOf } from './entry.tsx'
import { type ConsoleDependencies, FORM_MAX_BYTES, type Visit } from './request.ts'
import { renderInvited } from './users-page.tsx'

/** Each sign-in takes two. Nobody can guess a signature: this bounds what strangers can make the service compute. */
const SIGN_INS_PER_TEN_MINUTES = 40

type Deps = ConsoleDependencies

/** How users come into the console with a passkey. */
export function passkeyRoutes(
  app: FastifyInstance,
  { store, links, clock, allowances }: Deps,
  inConsole: (request: FastifyRequest) => Promise<ConsoleSession | undefined>,
): void {
  const limit = { name: 'consoleSignIns', max: SIGN_INS_PER_TEN_MINUTES, windowMs: TEN_MINUTES_MS }
  const limited = rateLimit(allowances, limit)
  const form = { onRequest: [requireSameOrigin(links), limited], bodyLimit: FORM_MAX_BYTES }
  const tokenIn = ({ params, body }: FastifyRequest) => String({ ...(body as Form), ...(params as Form) }.token ?? '')
  const invitationOf = (request: FastifyRequest) => findInvitation(store.db, tokenIn(request), clock())

  // A GET must not use up an invitation: mail scanners and previews open links.
  app.get(`${INVITE_PATH}/:token`, { onRequest: limited }, async (request, reply) => {
    const invited = await invitationOf(request)
    if (!invited) return sendHtml(reply, 403, renderOutside(links, 'invitation'))
    return sendHtml(reply, 200, renderInvitation(links, tokenIn(request), invited))
  })
  app.post('/console/options', form, async (request, reply) => {
    const { wants } = (request.body ?? {}) as Form
    const user = wants === 'get' ? undefined : await (tokenIn(request) ? invitationOf(request) : inConsole(request))
    if (wants !== 'get' && !user) return reply.code(403).send({})
    const { options, challenge } = await newOptions(store, links, user?.name, clock())
    return giveChallenge(reply, challenge, links).send(options)
  })
  app.post(ENTER_PATH, form, (request, reply) => enter(request, reply, answer => signIn(store, links, answer)))
  app.post(`${INVITE_PATH}/:token`, form, (request, reply) => {
    const { label } = (request.body ?? {}) as Form
    return enter(request, reply, answer => enterInvited(store, links, tokenIn(request), textOf(label), answer))
  })

  async function enter(request: FastifyRequest, reply: FastifyReply, open: (answer: Answer) => Promise<string>) {
    try {
      const session = await open(answerIn(request, { links, clock }))
      return giveConsole(reply, session, links).redirect('/console', 303)
    } catch (error) {
      if (!(error instanceof PasskeyRefused)) throw error
      request.log.warn({ why: error.message }, 'console sign-in refused')
      const invited = await invitationOf(request)
      const again = invited && renderInvitation(links, tokenIn(request), invited, error.message)
      return sendHtml(reply, 403, again ?? renderOutside(links, error.message))
    }
  }
}

const answerIn = (request: FastifyRequest, { links, clock }: Pick<Deps, 'links' | 'clock'>): Answer => ({
  challenge: sentChallenge(request, links),
  json: ((request.body ?? {}) as Form).answer,
  now: clock(),
})

/** Adds a passkey of the user. */
export const addOwn = (deps: Deps, visit: Visit, form: Form) =>
  tell(deps, visit, async () => {
    const label = textOf(form.label)
    await addPasskey(deps.store, deps.links, visit.view.session.name, label, answerIn(visit.request, deps))
    return 'The passkey was added.'
  })

export const removeOwn = (deps: Deps, visit: Visit, form: Form) =>
  tell(deps, visit, async () =>
    (await removePasskey(deps.store, visit.view.session, form.id))
      ? 'The passkey was removed. Your other sessions have ended.'
      : 'Nothing was removed. Add another passkey before you remove your last one.',
  )

const TO = [...ROLES, 'ended', 'removed'] as const
const DID = {
  admin: 'is an admin now',
  moderator: 'is a moderator now',
  ended: 'is signed out everywhere, and open invitations have ended',
  removed: 'can no longer sign in',
}

/** Changes, signs out or removes another user, for an admin. */
export const change = (deps: Deps, visit: Visit, form: Form) =>
  tell(deps, visit, async () => {
    const [name, by, to] = [String(form.name), visit.view.session.name, TO.find(each => each === form.to)]
    const changed = to && (await changeUser(deps.store, name, to, by, deps.clock()))
    if (!changed) return 'Nothing changed. There is no such user.'
    visit.request.log.info({ by, name, to }, 'console user changed')
    return `${name} ${DID[to]}.`
  })

/** Shows the link of an invitation, for an admin. It is not remembered, so no other page shows it. */
export const invite = (deps: Deps, visit: Visit, form: Form) =>
  tell(deps, visit, async () => {
    const [name, by] = [nameFrom(form.name), visit.view.session.name]
    if (!name) return 'A name has up to 40 letters, digits, spaces, dots, dashes and apostrophes.'
    const role = ROLES.find(each => each === form.role)
    const { token } = await inviteUser(deps.store, { name, role }, by, deps.clock())
    visit.request.log.info({ by, name, role }, 'console user invited')
    const link = `${deps.links.base}${INVITE_PATH}/${token}`
    return sendHtml(visit.reply, 200, renderInvited(visit.view, name, link))
  })

/** Shows the result, or why there is none, on the page of the users. */
async function tell<Page>({ store, clock }: Deps, { view, reply }: Visit, act: () => Promise<string | Page>) {
  const words = await act().catch(error => {
    if (error instanceof UserRefused) return `Nothing changed: ${error.message}.`
    if (error instanceof PasskeyRefused) return wordsOf(error.message)
    throw error
  })
  if (typeof words !== 'string') return words
  await rememberAct(store, view.session, { did: 'say', at: clock(), acted: [], words })
  return reply.redirect('/console/users', 303)
}
