import { forgetNotices } from '../../notices/forget-notices.ts'
import type { NoticeTables } from '../../storage/schema/notices.ts'
import { AS_ITS_LISTING, forDays, type Kept, LOOKED_UP_DAYS } from '../kept.ts'

export const NOTICES: Record<keyof NoticeTables, readonly Kept[]> = {
  watch: [
    {
      what: 'That an owner follows a listing, and the hash of its feed’s address',
      ...AS_ITS_LISTING,
      why: 'The feed needs it. An address that was renewed or turned off leaves nothing.',
    },
  ],
  watched_place: [
    {
      what: 'Where a followed listing was last seen on a board',
      ...AS_ITS_LISTING,
      why: 'We tell when others move ahead.',
    },
  ],
  notice: [
    {
      what: 'What we told about a followed listing',
      ...forDays(LOOKED_UP_DAYS, ' after it was told', forgetNotices),
      why: 'Its feed shows it.',
    },
  ],
  webhook: [
    {
      what: 'The address of an owner’s webhook, and how its last delivery ended',
      kept: 'until its owner removes it',
      why: 'Events are sent there. The secret is not stored.',
    },
  ],
}
