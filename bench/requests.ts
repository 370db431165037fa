import { randomBytes, randomUUID } from 'node:crypto'

/** Limits that no load reaches. */
export const WIDE_ENV = {
  PORT: '0',
  LOG_LEVEL: 'info',
  LIMIT_PUBLISH_REQUESTS_PER_TEN_MINUTES_PER_IP: '1000000000',
  LIMIT_NEW_ATTEMPTS_PER_DAY_PER_IP: '1000000000',
  LIMIT_NEW_ATTEMPTS_PER_DAY_PER_HOST: '1000000000',
  LIMIT_NEW_ATTEMPTS_PER_DAY_GLOBAL: '1000000000',
  LIMIT_QUOTES_PER_MINUTE_PER_IP: '1000000000',
}

export const json = { 'content-type': 'application/json' }
export const quoteBody = JSON.stringify({
  destination: 'https://bakery.com/',
  category: 'Games',
  board: 'all',
  targetBid: 25,
})
export const publishBody = (destination: string) =>
  JSON.stringify({
    destination,
    category: 'Games',
    approval: { scope: 'free_listing_publish', userApproved: true, rulesVersion: '2026-09-06' },
  })
export const credentials = () => ({
  ...json,
  'idempotency-key': randomUUID(),
  'x-submission-secret': randomBytes(32).toString('hex'),
})
