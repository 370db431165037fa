import { BODY_MAX_BYTES, DESTINATION_MAX_LENGTH } from '@placard/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { findMailedLink, requestLinkByMail, useMailedLink } from '../../domain/notifications/owner/lost-link.ts'
import {
  addressToConfirm,
  addressToEnd,
  confirmMail,
  endMailByToken,
  parseMailAddress,
} from '../../domain/notifications/owner/mail-address.ts'
import { clientNetworks } from '../../platform/http/client-address.ts'
import { PRIVATE_HEADERS, withHeaders } from '../../platform/http/headers.ts'
import { type Links, LOST_LINK_PATH, OWN_PATH } from '../../platform/http/links.ts'
import { allowance, refusedBy } from '../../platform/http/rate-limits/rate-limit.ts'
import { requireSameOrigin } from '../../platform/http/request-checks.ts'
import { sendHtml } from '../../platform/http/send.ts'
import { HOUR_MS } from '../../platform/lib/time.ts'
import { echoedAddress, echoedText, typedDestination } from '../list/address-field.tsx'
import { giveCookie, sessionCookie } from '../ui/cookies.ts'
import { Button, Field, Form, Message } from '../ui/elements.tsx'
import { type Frame, Layout, renderDocument } from '../ui/layout.tsx'
import { SignPage } from '../ui/poster.tsx'
import { MailField } from '../ui/private-link.tsx'
import { waitText } from '../ui/time.tsx'
import type { PrivatePageDependencies } from './acts.ts'
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
  ].map(limit => allowance(deps.allowances, { ...limit, windowMs: HOUR_MS }))

  app.addHook('onRequest', withHeaders(PRIVATE_HEADERS))
  // RFC 8058 lets mail programs post either kind of form. Its content says nothing that the address does not.
  app.addContentTypeParser(
    'multipart/form-data',
    { parseAs: 'buffer', bodyLimit: BODY_MAX_BYTES },
    (_request, _body, done) => done(null, {}),
  )

  const find = {
    confirm: (token: string) => addressToConfirm(deps, token, clock()),
    open: (token: string) => findMailedLink(deps, token, clock()),
    off: (token: string) => addressToEnd(deps, token),
  }
  for (const link of ['confirm', 'open', 'off'] as const) {
    app.get(`/mail/${link}/:token`, async (request: TokenRequest, reply) => {
      const isGood = (await find[link](request.params.token)) !== undefined
      return isGood ? sendHtml(reply, 200, renderAsk(links, link, request.url)) : wrong(reply, link)
    })
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
    const typed = { website: echoedAddress(form.website), address: echoedText(form.address) }
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

type FrameProps = Pick<Frame, 'links' | 'title' | 'children'> & { sign: string }

const render = ({ links, title, sign, children }: FrameProps): string =>
  renderDocument(
    <Layout links={links} title={title} description="For owners of a listing." scripts={['send-once.js']}>
      <SignPage sign={sign} tone="green" heading={title}>
        {children}
      </SignPage>
    </Layout>,
  )

/**
 * What the links in mails do. Opening one shows only a button, because programs that scan mails open links, too.
 */
const MAIL_LINKS = {
  confirm: {
    ask: {
      title: 'Confirm your address',
      words: 'Mail about your listing then goes to this address.',
      button: 'Confirm',
    },
    done: { title: 'Your address is confirmed', words: 'Mail about your listing goes there from now on.' },
    wrong: {
      title: 'This link doesn’t work',
      words:
        'It is more than 24 hours old, incomplete, or for an address that was replaced. Enter the address again on your private page.',
    },
  },
  open: {
    ask: {
      title: 'Open your private page',
      words: 'This link works once, for 15 minutes after you asked for it.',
      button: 'Open it',
    },
    wrong: {
      title: 'This link doesn’t work',
      words: (
        <>
          It was used already, is more than 15 minutes old, or is incomplete.{' '}
          <a href={LOST_LINK_PATH}>Ask for a new one</a>.
        </>
      ),
    },
  },
  off: {
    ask: {
      title: 'Turn off mail',
      words:
        'We then delete your mail address. If you lose your private link, you can’t open your private page by mail any more.',
      button: 'Turn off mail',
    },
    done: { title: 'Mail is off', words: 'We deleted your mail address, and send no more mail about this listing.' },
    wrong: { title: 'This link doesn’t work', words: 'It is incomplete. Copy the whole link from the mail.' },
  },
} as const

type MailLink = keyof typeof MAIL_LINKS

/** The page behind a link in a mail, before its button is pressed. @param path of the page */
function renderAsk(links: Links, link: MailLink, path: string): string {
  const { title, words, button } = MAIL_LINKS[link].ask
  return render({
    links,
    title,
    sign: 'POST BOX',
    children: (
      <>
        <p>{words}</p>
        <Form action={path}>
          <p>
            <Button look="go">{button}</Button>
          </p>
        </Form>
      </>
    ),
  })
}

/** What the button of a link did. */
function renderDone(links: Links, link: Exclude<MailLink, 'open'>): string {
  const { title, words } = MAIL_LINKS[link].done
  return render({ links, title, sign: 'POST BOX', children: <p>{words}</p> })
}

function renderWrong(links: Links, link: MailLink): string {
  const { title, words } = MAIL_LINKS[link].wrong
  return render({ links, title, sign: 'NO SUCH POST', children: <p>{words}</p> })
}

interface LostLinkProps {
  links: Links
  /** The addresses of the website and for mail, as typed. */
  typed?: { website: string | undefined; address: string | undefined }
  /** What is wrong with the form. */
  fault?: string
  isSent?: boolean
}

/** The form of owners who lost their private link. Once it is sent, it says the same whatever address was entered. */
const renderLostLink = ({ links, typed, fault, isSent }: LostLinkProps): string =>
  render({
    links,
    title: 'Lost your private link?',
    sign: 'LOST AND FOUND',
    children: (
      <>
        {fault && <Message>{fault}</Message>}
        {isSent ? (
          <Message isGood>
            <strong>If this is the confirmed mail address of that listing, a mail is on its way.</strong> Its link opens
            the private page once, within 15 minutes. An address gets at most five such mails a day.
          </Message>
        ) : (
          <p>
            If you turned on mail on your private page, we can mail you a link that opens it once, within 15 minutes.
          </p>
        )}
        <Form action={LOST_LINK_PATH}>
          <Field
            label="Address of your website"
            type="text"
            inputmode="url"
            id="website"
            name="website"
            value={typed?.website}
            placeholder="https://"
            autocomplete="url"
            maxLength={DESTINATION_MAX_LENGTH}
            required
          />
          <MailField label="Your mail address" required id="address" value={typed?.address} />
          <p>
            <Button look="go">Mail me a link</Button>
          </p>
        </Form>
        <p class="small">
          No mail turned on? <a href={OWN_PATH}>Prove that the website is yours</a> to get a new link. Or your agent can{' '}
          <a href="/support">recover the receipt</a>, which has the private link.
        </p>
      </>
    ),
  })
