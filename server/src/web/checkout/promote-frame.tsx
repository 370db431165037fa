import type { ComponentChildren } from 'preact'
import type { Links } from '../../http/links.ts'
import { Layout } from '../ui/layout.tsx'

interface PromoteFrameProps {
  title: string
  links: Links
  children: ComponentChildren
}

/** The frame of every page on the way to a paid place. The price on it is of this moment, so it is never kept. */
export function PromoteFrame({ title, links, children }: PromoteFrameProps) {
  return (
    <Layout
      isMoneyPlay={links.isMoneyPlay}
      title={title}
      description="Buy a paid place on a board: an amount, and not a position."
      path="/promote"
    >
      <article class="sheet">
        <p class="eyebrow">Paid place</p>
        {children}
      </article>
    </Layout>
  )
}

/** What everybody should know who buys a place. */
export function WhatYouBuy() {
  return (
    <ul>
      <li>
        <strong>You buy an amount, not a position.</strong> Anyone may pay more later, and then stands above
        you.
      </li>
      <li>
        There is no refund for being overtaken, nor for withdrawing the listing. Any other refund is for the
        operator to decide.
      </li>
      <li>
        Every payment counts on both boards: on that of all time, and on that of the day it is made. Today’s
        board starts anew at midnight UTC.
      </li>
      <li>
        A place of all time has no scheduled end: it lasts until others have more. Nor does the listing end by
        itself while money counts for it.
      </li>
      <li>A listing that breaks the rules is taken down, and then has no place.</li>
      <li>Money counts once the payment processor confirms it. Clicks and free listings move no rank.</li>
      <li>No API can charge. Only a person pays, in a browser.</li>
    </ul>
  )
}
