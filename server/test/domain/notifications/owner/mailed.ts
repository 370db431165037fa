import { expect } from 'vitest'
import { newCredentials, publish, publishBody, type TestService } from '../../../support/service.ts'
import { OWN, openPrivatePage } from '../../../web/manage/owner.ts'
import { linkIn, type MailServer } from './mail-server.ts'

/** Every kind of mail. */
export const ALL = { overtaken: 'yes', ends: 'yes', decided: 'yes', page_gone: 'yes', drawn: 'yes', summary: 'yes' }

/** Sends the form behind a link in a mail, as its page does. */
export const press = (service: { url: string }, path: string, headers: Record<string, string> = OWN) =>
  fetch(service.url + path, { method: 'POST', redirect: 'manual', headers })

/** Publishes a website. */
export async function listed(service: TestService, host: string) {
  const { body } = await publish(service, newCredentials(), publishBody(`http://${host}/`))
  const privateLink = body.ownership.privateRecoveryUrl ?? ''
  // A visit ends after minutes, and these tests take days.
  const act = async (name: string, fields: Record<string, string> = {}) =>
    (await openPrivatePage(privateLink)).act(name, fields)
  const page = async () => (await (await openPrivatePage(privateLink)).read()).html
  return { privateLink, act, page, slug: host.replaceAll('.', '-') }
}

/** Publishes a website whose owner has a confirmed address. */
export async function mailed(
  service: TestService,
  server: MailServer,
  host: string,
  address: string,
  choices: Record<string, string> = ALL,
) {
  const owner = await listed(service, host)
  expect((await owner.act('mail', { address, ...choices })).status).toBe(303)
  await expect.poll(() => server.to(address).length).toBe(1)
  const confirm = linkIn(server.to(address)[0], 'confirm')
  expect((await press(service, confirm)).status).toBe(200)
  return owner
}
