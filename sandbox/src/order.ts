import type { Order } from './database.ts'

const MINUTE_MS = 60 * 1000
const DAY_MS = 24 * 60 * MINUTE_MS

const PRICE = 'line_items[0][price_data]'

/**
 * Reads the order of a payment page from Stripe's parameters. Refuses what Stripe refuses.
 *
 * @returns a message if something is wrong
 */
export function readOrder(form: URLSearchParams, now: number): Order | string {
  const text = (name: string) => form.get(name) ?? ''
  const amountCents = Number(text(`${PRICE}[unit_amount]`)) * Number(text('line_items[0][quantity]'))
  const expiresAt = form.has('expires_at') ? Number(text('expires_at')) * 1000 : now + DAY_MS
  if (text('mode') !== 'payment') return 'Invalid mode: the sandbox takes payments only.'
  if (text(`${PRICE}[currency]`) !== 'usd') return 'Invalid currency: the sandbox takes usd only.'
  if (!Number.isSafeInteger(amountCents) || amountCents < 1) return 'Invalid line_items: there is no amount.'
  for (const name of ['success_url', 'cancel_url']) {
    if (!URL.canParse(text(name))) return `Not a valid URL: ${name}.`
  }
  // In whole seconds, as Stripe counts.
  if (!(expiresAt >= Math.floor(now / 1000) * 1000 + 30 * MINUTE_MS && expiresAt <= now + DAY_MS)) {
    return 'The `expires_at` timestamp must be between 30 minutes and 24 hours from now.'
  }
  return {
    clientReferenceId: form.get('client_reference_id'),
    description: text(`${PRICE}[product_data][name]`),
    amountCents,
    successUrl: text('success_url'),
    cancelUrl: text('cancel_url'),
    expiresAt,
  }
}
