import { endMail, type MailSaved, parseMailAddress, saveMail } from '../../domain/notifications/owner/mail-address.ts'
import { MAIL_CHOICES } from '../../domain/notifications/owner/plan-mail.ts'
import { goBack, type LinkAction, sendPrivatePage } from './acts.ts'
import { MAIL_TOO_SOON, NO_MAIL_ADDRESS, type Notice } from './messages.ts'

const REFUSED: Partial<Record<MailSaved, Notice>> = { too_soon: MAIL_TOO_SOON, no_address: NO_MAIL_ADDRESS }

/** Saves the address and the choices of the form. */
export const mail: LinkAction = async (deps, visit) => {
  const typed = visit.form.address
  const isTyped = typeof typed === 'string' && typed.trim() !== ''
  const address = isTyped ? parseMailAddress(typed) : undefined
  if (isTyped && address === undefined) return sendPrivatePage(deps, visit, NO_MAIL_ADDRESS)
  const choices = MAIL_CHOICES.filter(choice => visit.form[choice] === 'yes')
  const saved = await saveMail(deps, visit.claim, { address, choices }, visit.now)
  const refused = REFUSED[saved]
  return refused ? sendPrivatePage(deps, visit, refused) : goBack(visit, saved === 'saved' ? 'mail' : 'mail-asked')
}

export const mailOff: LinkAction = async ({ store }, visit) => {
  await store.transact(trx => endMail(trx, visit.claim.listing.id))
  return goBack(visit, 'mail-off')
}
