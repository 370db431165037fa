// @module-tag programs
// @module-tag slow
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { migratedDatabase } from '../../../support/engines.ts'
import { type ServiceProcess, startProcess } from '../../../support/process.ts'
import { newCredentials, publishAtLast, publishBody } from '../../../support/service.ts'
import { sendHtml, startSites } from '../../../support/sites.ts'
import { openPrivatePage } from '../../../web/manage/owner.ts'
import { newVisitor } from '../../../web/visitor.ts'
import { linkIn, startMailServer } from './mail-server.ts'
import { ALL, press } from './mailed.ts'

it('a mail whose sender is killed arrives once more, and no log has an address', async () => {
  const [database, sites, server] = [await migratedDatabase('sqlite'), await startSites(), await startMailServer()]
  const env = {
    FETCH_CONNECT_TO: sites.connectTo,
    ...database.env,
    ...server.env,
    LOG_LEVEL: 'trace',
    ACCESS_LOG: 'on',
  }
  sites.set('shop.com', (_, response) => sendHtml(response, '<title>A Shop</title><p>Words enough to be listed.'))
  const address = 'unlikely.name@example.org'
  const services: ServiceProcess[] = []
  const start = async () => {
    const service = await startProcess(env)
    services.push(service)
    return service
  }
  let store: Awaited<ReturnType<typeof database.openStore>> | undefined
  try {
    const first = await start()
    const { body } = await publishAtLast(first, newCredentials(), publishBody('http://shop.com/'))
    const owner = await openPrivatePage(body.ownership.privateRecoveryUrl ?? '')
    // Some servers repeat the address in their answer.
    server.refuses = to => `451 4.7.1 <${to}> try again later`
    await owner.act('mail', { address, ...ALL })
    await expect.poll(() => first.output()).toContain('could not mail an owner')
    server.refuses = () => undefined
    store = await database.openStore()
    const now = async () => {
      // The wait for the next attempt, or the lease of a process that is gone, has ended.
      await store?.transact(trx => trx.updateTable('outgoing_mail').set({ sendAt: 1 }).execute())
    }
    await now()
    await expect.poll(() => server.to(address).length).toBe(1)
    expect((await press(first, linkIn(server.mails[0], 'confirm'))).status).toBe(200)
    await expect.poll(() => first.output()).toContain('owners can be mailed again')

    const { promise: killed, resolve: kill } = Promise.withResolvers<void>()
    server.beforeAnswer = async () => {
      first.child.kill('SIGKILL')
      await once(first.child, 'close')
      kill()
      return undefined
    }
    await newVisitor(first).post('/own/mail', { website: 'shop.com', address })
    await killed
    server.beforeAnswer = async () => undefined
    expect(server.to(address)).toHaveLength(2)
    const second = await start()
    await now()
    await expect.poll(() => server.to(address).length).toBe(3)
    const [, sent, again] = server.to(address)
    expect(again?.headers.get('message-id')).toBe(sent?.headers.get('message-id'))
    const sendAt = async () => (await store?.db.selectFrom('outgoing_mail').select('sendAt').execute()) ?? []
    await expect.poll(sendAt).toEqual([{ sendAt: null }])
    // Both have the link, and it works once.
    const open = async (mail: typeof sent) => press(second, linkIn(mail, 'open'))
    expect([(await open(sent)).status, (await open(again)).status]).toEqual([303, 403])
    await second.end('SIGTERM')
    expect(server.to(address)).toHaveLength(3)
    const output = services.map(service => service.output()).join('')
    expect(output).not.toMatch(/unlikely/i)
    for (const mail of server.mails) {
      for (const does of ['confirm', 'open', 'off']) {
        const token = linkIn(mail, does).split('/').at(-1)
        if (token) expect(output).not.toContain(token)
      }
    }
  } finally {
    for (const service of services) await service.end('SIGKILL')
    await Promise.all([sites.close(), server.close(), database.remove()])
  }
})
