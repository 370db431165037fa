import type { ComponentChildren } from 'preact'
import { type SandboxSession, statusOfSession } from '../../payments/sandbox/sandbox-acts.ts'
import { Layout } from '../ui/layout.tsx'
import { dollars } from '../ui/money.ts'

/** Every page of the sandbox, under one banner: nobody may take it for a place where money moves. */
export function SandboxFrame({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <Layout isMoneyPlay={false} title={title} description="A page of the sandbox, where no money moves.">
      <p class="sandbox-banner">
        <strong>Sandbox: no money moves.</strong> This page plays the part of a payment processor.
      </p>
      <article class="sheet">{children}</article>
    </Layout>
  )
}

/** When the events of what is about to happen arrive. */
export function DeliveryChoice({ chosen }: { chosen: string }) {
  return (
    <fieldset class="sandbox-choice">
      <legend>When this service hears of it</legend>
      {DELIVERY_CHOICES.map(([value, label]) => (
        <label class="check" key={value}>
          <input type="radio" name="delivery" value={value} checked={value === chosen} /> {label}
        </label>
      ))}
    </fieldset>
  )
}

const DELIVERY_CHOICES = [
  ['now', 'At once'],
  ['soon', 'After 5 seconds'],
  ['by_hand', 'Only when I say'],
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

/** Where a payment stands, in a few words. */
export function stateText(session: SandboxSession, now: number): string {
  const status = statusOfSession(session, now)
  if (status !== 'complete') return status === 'open' ? 'Not paid yet' : 'Closed, not paid'
  const { paymentStatus, disputeStatus, refundedCents } = session
  if (paymentStatus === 'unpaid') return 'Ordered, the money is on its way'
  if (paymentStatus === 'failed') return 'Ordered, but the money never came'
  const refunded = refundedCents > 0 ? `, ${dollars(refundedCents)} refunded` : ''
  return `Paid${refunded}${disputeStatus ? DISPUTES[disputeStatus] : ''}`
}

const DISPUTES = { open: ', in dispute', won: ', dispute won', lost: ', dispute lost' } as const
