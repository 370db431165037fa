import type { FastifyBaseLogger } from 'fastify'
import { findDecision, statementOf } from '../../domain/moderation/appeals/statement.ts'
import { mailSender } from '../../domain/notifications/operator/smtp.ts'
import { countDueMails, deliverDueMails } from '../../domain/notifications/owner/deliver-mail.ts'
import { planSummaries } from '../../domain/notifications/owner/plan-summaries.ts'
import type { ServiceKeys } from '../../domain/ownership/service-keys/service-keys.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Links } from '../../platform/http/links.ts'
import { SECOND_MS } from '../../platform/lib/time.ts'
import type { JobDefinition } from './runner.ts'

interface MailOwnersDependencies {
  config: Pick<Config, 'telling'>
  serviceKeys: ServiceKeys
  links: Links
  clock: () => number
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>
}

/** Plans the summaries of the week, and sends the mails to owners that are due. */
export const mailOwners: JobDefinition<MailOwnersDependencies> = {
  name: 'mail',
  does: 'mails owners',
  everyMs: SECOND_MS,
  isOn: ({ telling }) => telling.mail !== undefined,
  countDue: countDueMails,
  start: ({ config, ...deps }) => {
    const { mail } = config.telling
    if (!mail) throw new Error('the job mail needs SMTP_URL')
    const send = mailSender(mail.url)
    const state = { isFailing: false }
    let plannedMonday = ''
    return async ({ store, signal, isFirst }) => {
      const reasonsFor = async (decisionId: string) => {
        const decision = await findDecision(store.db, decisionId)
        return decision && statementOf(decision, deps.links, deps.clock())
      }
      plannedMonday = await planSummaries(store, deps.clock(), isFirst ? '' : plannedMonday, signal)
      await deliverDueMails({ ...deps, store, send, from: mail.from, reasonsFor, state }, signal)
    }
  },
}
