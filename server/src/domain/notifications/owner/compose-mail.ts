import type { DecisionStatement } from '@placard/contract'
import type { Selectable } from 'kysely'
import type { Database } from '../../../platform/db/tables/index.ts'
import type { Links } from '../../../platform/http/links.ts'
import { readStandings } from '../../boards/standings.ts'
import { readTraffic } from '../../listings/traffic.ts'
import type { StoreAndKeys } from '../../ownership/service-keys/service-keys.ts'
import { findSiteOwner, waitsUntil } from '../../ownership/site-owner.ts'
import { OPEN_WITHIN_MS, openedBy } from './lost-link.ts'
import { findAddresses } from './mail-address.ts'
import type { Letter } from './mail-look.ts'
import {
  type About,
  confirmLetter,
  decidedLetter,
  noticeLetter,
  offLetter,
  openLetter,
  overtakenLetter,
  replacedLetter,
  summaryDays,
  summaryLetter,
  withdrawnLetter,
} from './mail-message.ts'
import { mailToken } from './mail-secrets.ts'
import { overtakenIn, stillOvertaken } from './notice.ts'
import type { Planned } from './plan-mail.ts'

export interface ComposeDependencies extends StoreAndKeys {
  links: Links
  reasonsFor: (decisionId: string) => Promise<DecisionStatement | undefined>
  /** Loads a page that was gone. */
  isBack: (listingId: number, url: string) => Promise<boolean>
}

/** A planned mail, with what was already sent to its address. */
export type PlannedMail = Pick<
  Selectable<Database['outgoing_mail']>,
  'id' | 'addressId' | 'listingId' | 'kind' | 'at'
> &
  Pick<Database['owner_mail'], 'summaryRank'> & { facts: string }

/** A mail as it is now. */
interface Composed {
  letter: Letter
  /** The rank that the mail names. */
  rank?: number | undefined
}

/** Writes a planned mail from the present state. @returns undefined if there is nothing to say any more */
export async function compose(
  deps: ComposeDependencies,
  mail: PlannedMail,
  now: number,
): Promise<Composed | undefined> {
  const { store, links, serviceKeys } = deps
  const row = await store.db
    .selectFrom('listing')
    .innerJoin('claim', 'claim.listingId', 'listing.id')
    .selectAll('listing')
    .select(['claim.id as claimId', 'claim.linkVersion'])
    .where('listing.id', '=', mail.listingId)
    .executeTakeFirst()
  if (!row) return undefined
  const about: About = { listing: row, privatePage: links.privatePage(row.claimId), links }
  const planned = { kind: mail.kind, facts: JSON.parse(mail.facts) } as Planned
  switch (planned.kind) {
    case 'confirm': {
      const token = mailToken(serviceKeys, 'confirm', [mail.addressId])
      return { letter: confirmLetter(about, links.mail('confirm', token)) }
    }
    case 'open': {
      const token = mailToken(serviceKeys, 'open', openedBy(mail.id, row))
      return { letter: openLetter(about, links.mail('open', token), mail.at + OPEN_WITHIN_MS) }
    }
    case 'replaced': {
      const { waiting } = await findAddresses(store.db, mail.listingId, now)
      return waiting && { letter: replacedLetter(about) }
    }
    case 'off':
      return { letter: row.hiddenBy === 'owner' ? withdrawnLetter(about) : offLetter(about) }
    case 'overtaken': {
      const standings = await readStandings(store, row.destinationKey, now)
      const notices = stillOvertaken(await overtakenIn(store, mail.listingId, mail.id), standings, now)
      return notices.length > 0 ? { letter: overtakenLetter(about, notices, standings) } : undefined
    }
    case 'ends_soon':
    case 'ends_tomorrow': {
      const { endsAt } = planned.facts
      // A payment, a new term or an operator may have changed the end.
      return row.expiresAt === endsAt && endsAt > now
        ? { letter: noticeLetter(about, { kind: 'ends_soon', facts: { endsAt } }) }
        : undefined
    }
    case 'page_gone':
      return (await deps.isBack(mail.listingId, row.url)) ? undefined : { letter: noticeLetter(about, planned) }
    case 'drawn':
      return { letter: noticeLetter(about, planned) }
    case 'claim_waits': {
      const { until } = planned.facts
      const stillWaits = until > now && (await waitsUntil(store.db, mail.listingId)) === until
      return stillWaits ? { letter: noticeLetter(about, planned) } : undefined
    }
    case 'proof_missing': {
      const isMissing = (await findSiteOwner(store.db, mail.listingId))?.missingSince
      return isMissing && planned.facts.until > now ? { letter: noticeLetter(about, planned) } : undefined
    }
    case 'decided': {
      const statement = await deps.reasonsFor(planned.facts.decisionId)
      return statement && { letter: decidedLetter(about, statement) }
    }
    case 'summary': {
      const days = await readTraffic(store, mail.listingId, summaryDays(planned.facts.monday))
      const standings = await readStandings(store, row.destinationKey, now)
      return { letter: summaryLetter(about, days, standings, mail.summaryRank), rank: standings.all?.rank }
    }
  }
}
