import { DESTINATION_MAX_LENGTH } from '@placard/contract'
import type { ComponentChildren } from 'preact'
import { type Links, LOST_LINK_PATH, OWN_PATH } from '../../platform/http/links.ts'
import { Button, Field, Form, Message } from '../ui/elements.tsx'
import { Layout, renderDocument } from '../ui/layout.tsx'
import { SignPage } from '../ui/poster.tsx'
import { MailField } from '../ui/private-link.tsx'

interface FrameProps {
  links: Links
  title: string
  sign: string
  children: ComponentChildren
}

const render = ({ links, title, sign, children }: FrameProps): string =>
  renderDocument(
    <Layout links={links} title={title} description="For owners of a listing.">
      <SignPage sign={sign} tone="green" heading={title}>
        {children}
      </SignPage>
    </Layout>,
  )

/**
 * What the links in mails do. Opening one shows only a button, because programs that scan mails open links, too. That
 * page is the same for every token, valid or not.
 */
export const MAIL_LINKS = {
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
export function renderAsk(links: Links, link: MailLink, path: string): string {
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
export function renderDone(links: Links, link: Exclude<MailLink, 'open'>): string {
  const { title, words } = MAIL_LINKS[link].done
  return render({ links, title, sign: 'POST BOX', children: <p>{words}</p> })
}

export function renderWrong(links: Links, link: MailLink): string {
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
export const renderLostLink = ({ links, typed, fault, isSent }: LostLinkProps): string =>
  render({
    links,
    title: 'Lost your private link?',
    sign: 'LOST AND FOUND',
    children: (
      <>
        {fault && <Message>{fault}</Message>}
        {isSent ? (
          <p class="callout" role="status">
            <strong>If this is the confirmed mail address of that listing, a mail is on its way.</strong> Its link opens
            the private page once, within 15 minutes. An address gets at most five such mails a day.
          </p>
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
