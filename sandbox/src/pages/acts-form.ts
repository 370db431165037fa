import { type Act, refundableCents } from '../acts.ts'
import type { Session } from '../database.ts'
import { formOf } from '../form.ts'
import { DELIVERIES } from '../sandbox.ts'
import { dollars } from './frame.tsx'

export const NO_CHOICE = 'Nothing happened. Use one of the buttons on this page.'

/** The fields of a form, none of them twice. By default, delivery is immediate. */
export function readForm(body: unknown) {
  const form = formOf(body)
  const text = (name: string, otherwise = '') => {
    const [value = otherwise, ...more] = form.getAll(name)
    return more.length === 0 ? value : ''
  }
  const delivery = text('delivery', 'now')
  return {
    act: text('act'),
    amount: text('amount').trim(),
    event: text('event'),
    delivery: DELIVERIES.find(known => known === delivery),
  }
}

const ACTS = ['succeed', 'fail', 'fail_refund', 'dispute', 'win', 'lose', 'turn'] as const

/** The chosen action, or what is wrong with it. */
export function readAct(act: string, amount: string, session: Session): Act | { message: string } {
  if (act === 'refund_all') return { name: 'refund', amountCents: 'all' }
  if (act === 'refund') return readRefund(amount, refundableCents(session))
  const name = ACTS.find(known => known === act)
  return name ? { name } : { message: NO_CHOICE }
}

function readRefund(amount: string, refundable: number): Act | { message: string } {
  const [, whole = '', fraction = ''] = /^\$?(\d{1,7})(?:\.(\d{1,2}))?$/.exec(amount) ?? []
  const amountCents = Number(whole) * 100 + Number(fraction.padEnd(2, '0'))
  if (amountCents === 0) {
    return { message: 'Nothing happened. Enter the refund in dollars, such as 5 or 12.50.' }
  }
  if (refundable > 0 && amountCents > refundable) {
    return { message: `Nothing happened: only ${dollars(refundable)} can be refunded.` }
  }
  return { name: 'refund', amountCents }
}
