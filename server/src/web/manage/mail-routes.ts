import { BODY_MAX_BYTES } from '@placard/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { requestLinkByMail, useMailedLink } from '../../domain/notifications/owner/lost-link.ts'
import { confirmMail, endMailByToken, parseMailAddress } from '../../domain/notifications/owner/mail-address.ts'
import { clientNetworks } from '../../platform/http/client-address.ts'
import { PRIVATE_HEADERS, withHeaders } from '../../platform/http/headers.ts'
import { LOST_LINK_PATH } from '../../platform/http/links.ts'
import { rateLimiter, refusedBy } from '../../platform/http/rate-limits/rate-limit.ts'
import { requireSameOrigin } from '../../platform/http/request-checks.ts'
import { sendHtml } from '../../platform/http/send.ts'
import { HOUR_MS } from '../../platform/lib/time.ts'
import { keptAddress, keptText, typedDestination } from '../list/address-field.tsx'
import { giveCookie, sessionCookie } from '../ui/cookies.ts'
import { waitText } from '../ui/time.tsx'
import type { PrivatePageDependencies } from './acts.ts'
import { type MAIL_LINKS, renderAsk, renderDone, renderLostLink, renderWrong } from './mail-pages.tsx'
import { NOT_A_MAIL_ADDRESS } from './messages.ts'

/** Per client, for links to a private page by mail. */
export const LINKS_PER_HOUR = 10
/** For a whole network, which can have many addresses. */
const LINKS_PER_HOUR_OF_NETWORK = 40

type TokenRequest = FastifyRequest<{ Params: { token: string } }>

/** What the links in mails to owners do, and a lost private link. */
export async function mailRoutes(app: FastifyInstance, deps: PrivatePageDependencies): Promise<void> {
  const { links, clock } = deps
  const ownPageOnly = requireSameOrigin(links)
  const networkOf = (request: FastifyRequest) => clientNetworks(request)[0] ?? ''
  const limits = [
    { name: 'mailedLinksPerHour', max: LINKS_PER_HOUR },
    {
      name: 'mailedLinksPerHourOfNetwork',
      max: LINKS_PER_HOUR_OF_NETWORK,
      keyOf: networkOf,
    },
  ].map(limit => rateLimiter(deps.allowances, { ...limit, windowMs: HOUR_MS }))

  app.addHook('onRequest', withHeaders(PRIVATE_HEADERS))
  // RFC 8058 lets mail programs post either kind of form. Its content says nothing that the address does not.
  app.addContentTypeParser(
    'multipart/form-data',
    { parseAs: 'buffer', bodyLimit: BODY_MAX_BYTES },
    (_request, _body, done) => done(null, {}),
  )

  for (const link of ['confirm', 'open', 'off'] as const) {
    app.get(`/mail/${link}/:token`, (request, reply) => sendHtml(reply, 200, renderAsk(links, link, request.url)))
  }

  app.post('/mail/confirm/:token', { onRequest: ownPageOnly }, async (request: TokenRequest, reply) => {
    const isConfirmed = await confirmMail(deps, request.params.token, clock())
    return isConfirmed ? sendHtml(reply, 200, renderDone(links, 'confirm')) : wrong(reply, 'confirm')
  })

  app.post('/mail/open/:token', { onRequest: ownPageOnly }, async (request: TokenRequest, reply) => {
    const now = clock()
    const link = await useMailedLink(deps, request.params.token, now)
    if (!link) return wrong(reply, 'open')
    giveCookie(reply, sessionCookie(link.claimId), deps.sessions.open(link, now), links)
    return reply.redirect(`/manage/${link.claimId}`, 303)
  })

  // Mail programs post here for their user, without cookies and from anywhere (RFC 8058).
  app.post('/mail/off/:token', async (request: TokenRequest, reply) => {
    const isOff = await endMailByToken(deps, request.params.token)
    return isOff ? sendHtml(reply, 200, renderDone(links, 'off')) : wrong(reply, 'off')
  })

  app.get(LOST_LINK_PATH, (_request, reply) => sendHtml(reply, 200, renderLostLink({ links })))

  app.post(LOST_LINK_PATH, { onRequest: ownPageOnly }, async (request, reply) => {
    const form = (request.body ?? {}) as Record<string, unknown>
    const typed = { website: keptAddress(form.website), address: keptText(form.address) }
    const refuse = (status: number, fault: string) => sendHtml(reply, status, renderLostLink({ links, typed, fault }))
    const destination = typedDestination(typeof form.website === 'string' ? form.website : '', links)
    if ('fault' in destination) return refuse(400, destination.fault)
    const address = parseMailAddress(form.address)
    if (address === undefined) return refuse(400, NOT_A_MAIL_ADDRESS)
    const seconds = await refusedBy(limits, request, reply)
    if (seconds !== undefined) return refuse(429, `You have asked too often. Try again in ${waitText(seconds)}.`)
    await requestLinkByMail(deps, { destination, address, network: networkOf(request) }, clock())
    return sendHtml(reply, 200, renderLostLink({ links, isSent: true }))
  })

  const wrong = (reply: FastifyReply, link: keyof typeof MAIL_LINKS) => sendHtml(reply, 403, renderWrong(links, link))
}
