import { makeConsoleLink } from '../../../src/domain/moderation/console/sessions.ts'
import type { DecisionKind } from '../../../src/platform/db/tables/decisions.ts'
import type { Engine } from '../../../src/platform/db/tables/index.ts'
import { operateHere } from '../../support/operate.ts'
import { newCredentials, publish, publishBody, startTestService } from '../../support/service.ts'
import { newVisitor, type Visited, type Visitor } from '../visitor.ts'

/** A service with operators, at a shell and in the console. */
export async function startOperating(engine: Engine) {
  const service = await startTestService({ engine, env: { TRUSTED_PROXIES: '127.0.0.1' } })
  const store = await service.database.openStore()
  const env = {
    ...service.database.env,
    BASE_URL: service.url,
    FETCH_CONNECT_TO: service.sites.connectTo,
  }
  const placard = async (...args: string[]) => {
    const operated = await operateHere(env, ...args)
    // The commands use the real time, so the service does too.
    service.clock.now = Date.now()
    return operated
  }

  const send = (host: string, credentials = newCredentials()) => {
    service.clock.now = Date.now()
    return publish(service, credentials, publishBody(`http://${host}/`))
  }

  return {
    service,
    store,
    placard,
    /** What a command prints as JSON. */
    json: async (...args: string[]) => JSON.parse((await placard(...args, '--json')).output),
    async enter(name: string): Promise<Visitor> {
      service.clock.now = Date.now()
      const visitor = newVisitor(service)
      await visitor.post(`/console/enter/${await makeConsoleLink(store, name, service.clock.now)}`, {})
      return visitor
    },
    send,
    /** A published listing. `receipt` repeats its submission. */
    async listed(host: string) {
      const credentials = newCredentials()
      const { status, body } = await send(host, credentials)
      if (status !== 201) throw new Error(`${host} was not listed: ${status} ${body.code}`)
      const slug = body.productUrl.split('/').at(-1) ?? ''
      const receipt = async () => (await send(host, credentials)).body
      const linkNow = async () => (await receipt()).ownership.privateRecoveryUrl ?? ''
      return { slug, receipt, linkNow, page: `/console/listing/${slug}`, publicUrl: body.productUrl }
    },
    /** Decisions of some kinds, oldest first. */
    async decisions(...kinds: DecisionKind[]) {
      const rows = await store.db
        .selectFrom('decision')
        .select(['kind', 'actor', 'reason', 'facts', 'ground'])
        .where('kind', 'in', kinds)
        .orderBy('at')
        .orderBy('id')
        .execute()
      return rows.map(({ facts, ...rest }) => ({ ...rest, facts: JSON.parse(facts ?? '{}') }))
    },
  }
}

export type Operating = Awaited<ReturnType<typeof startOperating>>

/** The hidden fields of a page's form, by its action. */
export function fieldsOf({ html }: Visited, action: string): Record<string, string> {
  const form = html.split('<form').find(each => each.includes(`action="${action}"`)) ?? ''
  const hidden = [
    ...form
      .split('</form', 1)
      .join()
      .matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g),
  ]
  return Object.fromEntries(hidden.map(([, name, value]) => [name, value]))
}
