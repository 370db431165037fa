import { configFrom } from '../../../../src/platform/config/config.ts'
import { openStore } from '../../../../src/platform/db/open.ts'
import type { Store } from '../../../../src/platform/db/store.ts'
import { payFor } from '../../../support/ledger.ts'
import { newCredentials, publish, publishBody, type TestService } from '../../../support/service.ts'
import { openPrivatePage } from '../../../web/manage/owner.ts'

/** A published listing whose owner has a feed. */
export async function followListing(service: TestService, host: string) {
  const { body } = await publish(service, newCredentials(), publishBody(`http://${host}/`))
  const privateLink = body.ownership.privateRecoveryUrl ?? ''
  const owner = await openPrivatePage(privateLink)
  const newFeed = async () => {
    await owner.act('feed')
    return feedIn((await owner.read()).html)
  }
  return { privateLink, owner, newFeed, feed: await newFeed(), productUrl: body.productUrl }
}

/** The address of the feed that a private page shows. */
const feedIn = (html: string): string => /value="(http[^"]+\/feed\/[^"]+)"/.exec(html)?.[1] ?? ''

export async function readFeed(address: string) {
  const response = await fetch(address)
  const xml = await response.text()
  const all = (name: string) =>
    [...xml.matchAll(new RegExp(`<${name}[^>]*>([^<]*)</${name}>`, 'g'))].map(([, text]) => text ?? '')
  return {
    status: response.status,
    headers: response.headers,
    xml,
    /** Of its entries, the latest first. */
    titles: all('title').slice(1),
    summaries: all('summary'),
  }
}

/** The service's store, and a way to pay for a host a minute later. */
export async function payingFor(service: TestService) {
  const store: Store = await openStore(configFrom(service.database.env))
  let payments = 0
  return {
    store,
    async pay(host: string, dollars: number): Promise<string> {
      service.clock.now += 60_000
      const paymentId = `pi_${host}_${++payments}`
      await payFor(store, host, paymentId, { amountCents: dollars * 100, at: service.clock.now })
      return paymentId
    },
  }
}
