import type { ComponentChildren } from 'preact'
import type { Destination } from '../../domain/destinations/destination.ts'
import type { Links } from '../../platform/http/links.ts'
import { IsItYours, PageHead } from '../ui/elements.tsx'
import { type Frame, Layout, renderDocument } from '../ui/layout.tsx'

interface PromoteFrameProps extends Pick<Frame, 'title' | 'links' | 'at' | 'scripts' | 'children'> {
  /** Below the heading. */
  lead?: ComponentChildren
}

/** The frame of every page up to the payment page. Its price is live, so it is never cached. */
export function PromoteFrame({ title, lead, links, at, scripts, children }: PromoteFrameProps) {
  return (
    <Layout
      links={links}
      title={title}
      description="Buy a paid place on a board: an amount, not a position."
      path="/promote"
      at={at}
      scripts={scripts}
    >
      <PageHead title={title}>
        <span class="paid">Paid placement</span>
        {lead && <br />}
        {lead}
      </PageHead>
      {children}
    </Layout>
  )
}

/** What every buyer should know. @param saysToday whether the page explains payment for today's board elsewhere */
export function WhatYouBuy({ saysToday }: { saysToday?: boolean }) {
  return (
    <ul class="bullets">
      <li>
        <strong>You buy an amount, not a position.</strong> Anyone may pay more later and rank above you.
      </li>
      <li>
        There is no refund for being overtaken, nor for withdrawing the listing. The operator decides on any other
        refund.
      </li>
      <li>
        Money counts once the payment processor confirms it, on both boards: all time, and the day of that confirmation.
        {!saysToday && ' Today’s board takes cards only, and resets at midnight UTC.'}
      </li>
      <li>
        A place on the all-time board has no scheduled end: it lasts until others have more. A paid listing doesn’t
        expire.
      </li>
      <li>A listing that breaks the rules is taken down and loses its place.</li>
      <li>No API can charge: only a person pays, in a browser.</li>
    </ul>
  )
}

/** Says that a website cannot be shown, and so cannot be promoted. Reveals nothing about its listing. */
export const renderDown = ({ url, hostname }: Destination, links: Links): string =>
  renderDocument(
    <PromoteFrame links={links} title="This listing is down">
      <div class="sheet">
        <p>
          The listing of {hostname} has ended or was taken down, so it has no place on a board right now. We take no
          money for a listing that isn’t shown.
        </p>
        <p>
          <IsItYours url={url} /> You can also <a href="/promote">choose another website</a>.
        </p>
      </div>
    </PromoteFrame>,
  )
