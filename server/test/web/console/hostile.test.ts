import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ENGINES } from '../../support/engines.ts'
import { type People, startPeople, tokenIn } from './people.ts'

describe.each(ENGINES)('hostile users of the console on %s', engine => {
  let people: People
  beforeAll(async () => {
    people = await startPeople(engine)
  })
  afterAll(() => people.pages.close())
  beforeEach(() => {
    people.pages.time.now = Date.now()
  })

  it('make the service fetch nothing by the certificates of a device; without any, an attestation counts', async () => {
    const asked: string[] = []
    const inside = createServer(({ url = '' }, response) => {
      asked.push(url)
      response.end()
    }).listen(0, '127.0.0.1')
    await once(inside, 'listening')
    const certifiedAt = `http://127.0.0.1:${(inside.address() as AddressInfo).port}/inside`
    const path = await people.invited('Mallory')
    const answer = async (wrong: object) => {
      const [person, device] = [people.newPerson(), people.newDevice()]
      const options = await people.asked(person, { wants: 'create', token: tokenIn(path) })
      return person.post(path, { answer: device.create(options, wrong) })
    }
    expect((await answer({ certifiedAt })).html).toContain('wasn’t accepted')
    expect(asked).toEqual([])
    expect((await answer({ attestsItself: true })).location).toBe('/console')
    inside.close()
  })
})
