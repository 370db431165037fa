import type { ComponentChildren } from 'preact'
import type { Links } from '../../http/links.ts'
import { Layout } from '../ui/layout.tsx'

interface PromoteFrameProps {
  title: string
  /** Beside the heading. */
  lead?: ComponentChildren
  links: Links
  children: ComponentChildren
}

/** The frame of every page up to the payment page. Its price is live, so it is never cached. */
export function PromoteFrame({ title, lead, links, children }: PromoteFrameProps) {
  return (
    <Layout
      links={links}
      title={title}
      description="Buy a paid place on a board: an amount, not a position."
      path="/promote"
    >
      <div class="page-head">
        <h1>{title}</h1>
        <p class="lead">
          <span class="paid">Paid placement</span>
          {lead && <br />}
          {lead}
        </p>
      </div>
      {children}
    </Layout>
  )
}

/** What every buyer should know, once on a page. */
export function WhatYouBuy() {
  return (
    <ul class="bullets">
      <li>
        <strong>You buy an amount, not a position.</strong> Anyone may pay more later and rank above you.
      </li>
      <li>
        There is no refund for being overtaken, nor for withdrawing the listing. The operator decides on any
        other refund.
      </li>
      <li>
        Money counts once the payment processor confirms it, on both boards: all time, and the day you pay.
        Today’s board resets at midnight UTC.
      </li>
      <li>
        A place on the board of all time has no scheduled end: it lasts until others have more. While money
        counts for it, the listing doesn’t end by itself either.
      </li>
      <li>A listing that breaks the rules is taken down and loses its place.</li>
    </ul>
  )
}
