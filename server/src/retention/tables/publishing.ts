import { forgetWindows } from '../../allowances/forget-windows.ts'
import { FACTS_DAYS } from '../../decisions/end-facts.ts'
import { forgetClients, forgetUnpublished } from '../../publishing/forget-attempts.ts'
import type { PublishingTables } from '../../storage/schema/publishing.ts'
import { AS_ITS_LISTING, FOR_GOOD, forDays, type Kept } from '../kept.ts'

export const PUBLISHING: Record<keyof PublishingTables, readonly Kept[]> = {
  attempt: [
    {
      what: 'A submission that was published',
      ...AS_ITS_LISTING,
      why: 'Repeating it recovers the receipt.',
    },
    {
      what: 'A submission that was refused or never finished',
      ...forDays(FACTS_DAYS, ' after it was sent', forgetUnpublished),
      why: 'Repeating it returns the same answer, and a refusal can be contested for six months. After that it counts as a new one.',
    },
    {
      what: 'The hash of a client address with a submission',
      ...forDays(1, ' after the UTC day it was sent', forgetClients),
      why: 'We count each client’s submissions per day. The extra day allows for clocks that differ.',
    },
  ],
  listing: [
    {
      what: 'A listing',
      ...FOR_GOOD,
      why: 'Nobody else can take its address over, and its receipt can be recovered. It is shown only while it is published.',
    },
  ],
  claim: [
    {
      what: 'The approval of a listing, and the hash of its private link',
      ...AS_ITS_LISTING,
      why: 'The private link needs it.',
    },
  ],
  service_key: [
    {
      what: 'A check value that identifies a service key without revealing it',
      ...FOR_GOOD,
      why: 'It keeps the service from starting with a wrong key, which would lose links.',
    },
  ],
  renewed_link: [
    {
      what: 'A renewal of a private link',
      ...AS_ITS_LISTING,
      why: 'A repeated submission needs it to return the current link.',
    },
  ],
  write_probe: [
    {
      what: 'One row, rewritten every second',
      ...FOR_GOOD,
      why: 'It proves that the database takes writes.',
    },
  ],
  oldest_service: [
    {
      what: 'One row: the oldest version of this software that may work here',
      ...FOR_GOOD,
      why: 'An older one would use what is no longer there, so it does not start.',
    },
  ],
  allowance_window: [
    {
      what: 'What a client did in the present window of a request limit, by a hash of its address',
      kept: 'an hour after the window ended',
      end: { days: 1 / 24, step: forgetWindows },
      why: 'With PostgreSQL, all instances count a client’s requests together.',
    },
  ],
}
