/** Searches are cut to this length, in characters. */
export const SEARCH_MAX_LENGTH = 100

/** Version of the technical contract, and the rules an approval must name (spec 9). */
export const CONTRACT_VERSION = '2026-09-06'

/** Largest request body, in bytes, of publish, check and quote (spec 8). */
export const BODY_MAX_BYTES = 4096

/** Longest `destination`, in characters. */
export const DESTINATION_MAX_LENGTH = 500

/** Longest statement of an appeal, in UTF-16 units. */
export const STATEMENT_MAX_LENGTH = 1000

/** Longest name of an agent that asks for approval, in UTF-16 units. */
export const AGENT_NAME_MAX_LENGTH = 60

/** How long a customer can answer a request for approval, and how long one request waits for the answer. */
export const APPROVAL_LIFETIME_MS = 30 * 60 * 1000
export const APPROVAL_WAIT_MAX_SECONDS = 25

/** How long a listing stays in discovery. */
export const DISPLAY_DAYS = 60

/** How many listings are drawn by lot each day, and how many days lie between two draws of one listing. */
export const DRAW_SIZE = 10
export const DRAW_DAYS_BETWEEN = 30

export const MINIMUM_TARGET_USD = 5
export const MAXIMUM_TARGET_USD = 999_999
export const MINIMUM_CHARGE_CENTS = 100

/** Lifetime of a quote. It ends earlier at UTC midnight. */
export const QUOTE_LIFETIME_MS = 5 * 60 * 1000

/** Quotas that an operator may change; the capabilities reply says which are in force. */
export interface PublishLimits {
  requestsPerTenMinutesPerIp: number
  newAttemptsPerDayPerIp: number
  newAttemptsPerDayPerHost: number
  newAttemptsPerDayGlobal: number
}

/** Daily limits of checks, which are separate from those of submissions. */
export interface CheckLimits {
  checksPerDayPerIp: number
  checksPerDayPerHost: number
}

export const DEFAULT_CHECK_LIMITS: CheckLimits = { checksPerDayPerIp: 10, checksPerDayPerHost: 3 }

export const DEFAULT_PUBLISH_LIMITS: PublishLimits = {
  requestsPerTenMinutesPerIp: 30,
  newAttemptsPerDayPerIp: 4,
  newAttemptsPerDayPerHost: 4,
  newAttemptsPerDayGlobal: 100,
}
