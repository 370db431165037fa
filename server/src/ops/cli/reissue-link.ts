import { endMail } from '../../domain/notifications/owner/mail-address.ts'
import { renewSecretWith } from '../../domain/notifications/owner/webhook.ts'
import { ownerTokenText } from '../../domain/ownership/owner-token.ts'
import { NOT_REISSUED, reissueLink as reissue } from '../../domain/ownership/renew-link.ts'
import { requireSigningKey } from '../../domain/ownership/service-keys/recorded-keys.ts'
import { asJson, type Command, linksOf, needSlug, readName, readReason, withStore } from './command.ts'

export const reissueLink: Command = {
  name: 'reissue-link',
  usage: 'SLUG --reason TEXT',
  does: 'replace a lost private link, and print the new one once',
  words: 1,
  options: ['reason', 'as'],
  async run(given, word) {
    const slug = needSlug('reissue-link', word)
    const by = { explanation: readReason('reissue-link', given), name: readName(given) }
    await withStore(async (store, config) => {
      const newest = await requireSigningKey(store.db, config)
      const reissued = await reissue(store, slug, newest, by, Date.now(), async (trx, id) => {
        await renewSecretWith(trx, { newest }, id)
        await endMail(trx, id)
      })
      if ('refused' in reissued) throw new Error(`${slug}: ${NOT_REISSUED[reissued.refused]}`)
      const { link, token } = reissued
      const privateLink = linksOf(config).privateLink(link.claimId, ownerTokenText(token))
      if (asJson(given)) return void console.log(JSON.stringify({ slug, privateLink }))
      console.log(privateLink)
      console.log(
        `This link opens the private page of ${slug}, and the old link no longer works. Give it only to the owner. It is not shown again.`,
      )
    })
  },
}
