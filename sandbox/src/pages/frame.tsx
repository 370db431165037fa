import type { ComponentChildren, VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { statusOfSession } from '../acts.ts'
import type { Session } from '../database.ts'

const dollarFormat = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' })

/** Cents as people write them: $12.50. */
export const dollars = (cents: number): string => dollarFormat.format(cents / 100)

/** Returns a whole HTML document from a `Frame`. */
export const renderDocument = (page: VNode): string => `<!DOCTYPE html>\n${renderToString(page)}\n`

/** The frame of every sandbox page. Its banner says that no money moves. */
export function Frame({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{`${title} · Sandbox`}</title>
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <link rel="stylesheet" href="/sandbox/style.css" />
      </head>
      <body>
        <main>
          <p class="banner">
            <strong>Sandbox: no money moves.</strong> This page imitates a payment processor.
          </p>
          <article class="sheet">{children}</article>
        </main>
      </body>
    </html>
  )
}

/** The result of the last action, at the top of the page. */
export function Message({ id, children }: { id?: string; children: ComponentChildren }) {
  return (
    <p class="message" role="alert" id={id}>
      {children}
    </p>
  )
}

/** Returns the page for a form that comes from another website. */
export const renderRefused = (): string =>
  renderDocument(
    <Frame title="Nothing happened">
      <h1>Nothing happened</h1>
      <p>Another website sent this form. Open the page of the sandbox, and send it from there.</p>
    </Frame>,
  )

/** The choice of when the events of the next action are delivered. */
export function DeliveryChoice({ chosen }: { chosen: string }) {
  return (
    <fieldset class="choice">
      <legend>When the site gets the event</legend>
      {DELIVERY_CHOICES.map(([value, label]) => (
        <label class="check" key={value}>
          <input type="radio" name="delivery" value={value} checked={value === chosen} /> {label}
        </label>
      ))}
    </fieldset>
  )
}

const DELIVERY_CHOICES = [
  ['now', 'Immediately'],
  ['soon', 'After 5 seconds'],
  ['by_hand', 'Only when I deliver it'],
] as const

const secondFormat = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'medium',
  timeStyle: 'medium',
  timeZone: 'UTC',
})

/** A UTC second, such as 6 Sept 2026, 14:05:09 UTC. `at` in Unix milliseconds. */
export function Second({ at }: { at: number }) {
  return <time dateTime={new Date(at).toISOString()}>{secondFormat.format(at)} UTC</time>
}

/** Returns the state of a payment in a few words. */
export function stateText(session: Session, now: number): string {
  const status = statusOfSession(session, now)
  if (status !== 'complete') return status === 'open' ? 'Not paid yet' : 'Closed, not paid'
  const { paymentStatus, disputeStatus, refundedCents } = session
  if (paymentStatus === 'unpaid') return 'Ordered, the money is on its way'
  if (paymentStatus === 'failed') return 'Ordered, but the money never arrived'
  const refunded = refundedCents > 0 ? `, ${dollars(refundedCents)} refunded` : ''
  return `Paid${refunded}${disputeStatus ? DISPUTES[disputeStatus] : ''}`
}

const DISPUTES = { open: ', in dispute', won: ', dispute won', lost: ', dispute lost' } as const
