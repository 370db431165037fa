// @module-tag programs
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { BOARDS_PATH, type BoardPage, CONTRACT_VERSION } from '@placard/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type EmptyDatabase, migratedDatabase, SAME_SQL } from '../../support/engines.ts'
import { run, startProcess } from '../../support/process.ts'
import { newCredentials, publishAtLast, publishBody } from '../../support/service.ts'
import { type Sites, startSites } from '../../support/sites.ts'
import { newVisitor } from '../../web/visitor.ts'

describe.each(SAME_SQL)('with the sandbox on %s', engine => {
  let database: EmptyDatabase
  let sites: Sites
  beforeAll(async () => {
    ;[database, sites] = await Promise.all([migratedDatabase(engine), startSites()])
  })
  afterAll(async () => {
    await sites.close()
    await database.remove()
  })

  it('a payment counts whose webhook was not sent yet when the service was killed', async () => {
    const env = { ...database.env, FETCH_CONNECT_TO: sites.connectTo }
    const killed = await startProcess(env)
    const destination = 'http://killed-bakery.com/'
    const { body: receipt } = await publishAtLast(killed, newCredentials(), publishBody(destination))
    const choice = { destination, category: 'Food & Drink', board: 'all', target: '25' }
    const visitor = newVisitor(killed)
    const link = receipt.ownership.privateRecoveryUrl ?? ''
    await visitor.post('/promote/link', { ...choice, link })
    const order = { ...choice, amount: '2500', rules: CONTRACT_VERSION }
    const ordered = await visitor.post('/promote/checkout', order)
    const location = ordered.location?.replace('?pay=1', '') ?? ''
    const [payPage = ''] = /\/sandbox\/pay\/\w+/.exec((await visitor.get(location)).html) ?? []
    const paid = await visitor.post(payPage, { act: 'pay', delivery: 'soon' })
    expect([paid.status, paid.location]).toEqual([303, `${location}?returned=1`])
    expect(await killed.end('SIGKILL')).toBe('SIGKILL')

    const restarted = await startProcess(env)
    const totals = async () => {
      const board = (await (await fetch(`${restarted.url}${BOARDS_PATH}/all`)).json()) as BoardPage
      return board.entries.map(entry => entry.totalCents)
    }
    await expect.poll(totals).toEqual([2500])
    expect((await newVisitor(restarted).get(`${location}/state`)).html).toBe('{"state":"paid"}')
    const scenes = (await newVisitor(restarted).get(payPage.replace('/pay/', '/sessions/'))).html
    expect(scenes).toContain('Accepted once')
    expect(await restarted.end('SIGTERM')).toBe(0)
  })

  it.runIf(engine === 'postgres')('a folder that cannot hold its file stops the start in one line', async () => {
    const file = join(database.dataDir, 'file')
    writeFileSync(file, '')
    const { output, ended } = run('server/bundled/main.js', [], {
      ...database.env,
      DATA_DIR: file,
      PORT: '0',
    })
    expect(await ended).toBe(1)
    expect(output()).toMatch(/DATA_DIR \S+ cannot store sandbox\.db: [^\n]+\n$/)
  })
})
