/*
 * The fields RateLimit and RateLimit-Policy (draft-ietf-httpapi-ratelimit-headers-11): lists of structured fields, whose
 * items are named as the capabilities name their limits. The whole fields are joined from items with a comma.
 */

/** An item of RateLimit-Policy. It stays the same while the service runs. */
export const policyItem = (
  name: string,
  { quota, windowSeconds }: { quota: number; windowSeconds: number },
): string => `"${name}";q=${quota};w=${windowSeconds}`

/** An item of RateLimit. @param seconds whole, until the limit starts anew */
export const limitItem = (name: string, { left, seconds }: { left: number; seconds: number }): string =>
  `"${name}";r=${left};t=${seconds}`
