import { endsWithLink } from '../../domain/notifications/owner/new-owner.ts'
import { ownerTokenText } from '../../domain/ownership/owner-token.ts'
import { NOT_REISSUED, reissueLink as reissue } from '../../domain/ownership/renew-link.ts'
import { requireSigningKey } from '../../domain/ownership/service-keys/recorded-keys.ts'
import { decisionCommand, linksOf } from './command.ts'

export const reissueLink = decisionCommand({
  name: 'reissue-link',
  does: 'replace a lost private link, and print the new one once',
  async act(store, { subject: slug, reason: explanation, name, now }, _, config) {
    const newest = await requireSigningKey(store.db, config)
    const reissued = await reissue(store, slug, newest, { explanation, name }, now, endsWithLink({ newest }))
    if ('refused' in reissued) throw new Error(`${slug}: ${NOT_REISSUED[reissued.refused]}`)
    const { link, token } = reissued
    const privateLink = linksOf(config).privateLink(link.claimId, ownerTokenText(token))
    const advice = `This link opens the private page of ${slug}, and the old link no longer works. Give it only to the owner. It is not shown again.`
    return [{ slug, privateLink }, `${privateLink}\n${advice}`]
  },
})
