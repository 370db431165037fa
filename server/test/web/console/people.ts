import type { Engine } from '../../../src/platform/db/tables/index.ts'
import { operateHere } from '../../support/operate.ts'
import { startPages } from '../page-app.ts'
import { newVisitor, type Visitor } from '../visitor.ts'
import { type Asked, newAuthenticator } from './authenticator.ts'

/** A service with people who use passkeys. Each has a network of their own, and so limits of their own. */
export async function startPeople(engine: Engine) {
  const pages = await startPages({ engine, env: { HOST: 'localhost', TRUSTED_PROXIES: '127.0.0.1,::1' } })
  const origin = pages.url.replace('127.0.0.1', 'localhost')
  const placard = (...args: string[]) => operateHere({ ...pages.database.env, BASE_URL: origin }, ...args)
  const json = async (...args: string[]) => JSON.parse((await placard(...args, '--json')).output)

  let networks = 0
  const newPerson = () => {
    const visitor = newVisitor({ url: origin })
    const from = { 'x-forwarded-for': `203.0.${Math.floor(++networks / 250)}.${networks % 250}` }
    return {
      ...visitor,
      get: (path: string, headers = {}) => visitor.get(path, { ...from, ...headers }),
      post: (path: string, fields: Record<string, string>, headers = {}) =>
        visitor.post(path, fields, { ...from, ...headers }),
    }
  }
  const asked = async (person: Visitor, fields: Record<string, string>): Promise<Asked> =>
    JSON.parse((await person.post('/console/options', fields)).html)
  const invited = async (name: string, role = 'moderator'): Promise<string> =>
    (await json('console-invite', name, '--role', role)).link.replace(origin, '')

  /** Uses an invitation. */
  async function accept(path: string, device = newAuthenticator(origin), person = newPerson()) {
    const answer = device.create(await asked(person, { wants: 'create', token: tokenIn(path) }))
    return { person, device, path, ...(await person.post(path, { answer, label: 'Phone' })) }
  }

  return {
    pages,
    origin,
    placard,
    json,
    newPerson,
    asked,
    invited,
    accept,
    newDevice: (idBytes?: number) => newAuthenticator(origin, idBytes),
    /** A user who has come by an invitation. */
    async newUser(name: string, role = 'moderator') {
      const { location, ...user } = await accept(await invited(name, role))
      if (location !== '/console') throw new Error(`${name} is not in the console`)
      return user
    },
    async signIn(device: ReturnType<typeof newAuthenticator>, wrong = {}, person = newPerson()) {
      const answer = device.get(await asked(person, { wants: 'get' }), wrong)
      return { person, answer, ...(await person.post('/console/enter', { answer })) }
    },
    async userNow(name: string): Promise<Record<string, unknown> | undefined> {
      const { output } = await placard('console-users', '--json')
      const users = output.trim().split('\n')
      return users.map(line => JSON.parse(line)).find(each => each.name === name)
    },
  }
}

export type People = Awaited<ReturnType<typeof startPeople>>

export const tokenIn = (path: string) => path.split('/').at(-1) ?? ''

/** The link that a page shows once, as a path. */
export const linkShown = (html: string) => /<pre[^>]*>[^<]*?(\/console\/invite\/[\w-]+)</.exec(html)?.[1] ?? ''
