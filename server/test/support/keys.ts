import { checkValueOf, ServiceKeys } from '../../src/domain/ownership/service-keys/service-keys.ts'
import { Secret } from '../../src/platform/lib/secret.ts'

/** Keys that were never replaced: the first one signs. */
export const serviceKeys = (...secrets: Secret[]): ServiceKeys =>
  new ServiceKeys(secrets.map(secret => ({ secret, checkValue: checkValueOf(secret), replacedAt: undefined })))

/** A service's only key, the same each time. */
export const FIXED_KEYS = serviceKeys(new Secret(Buffer.alloc(32, 7)))
