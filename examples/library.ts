/**
 * Lists a website with the library, which keeps key and secret in its journal and repeats a lost request by itself.
 *
 *   node examples/library.ts SERVICE DESTINATION CATEGORY [--user-approved]
 *
 * Without --user-approved it only checks, and shows what to ask the customer. Run it again after any failure, or to
 * get the receipt again.
 */
import { PlacardClient, PlacardError } from 'placard-agent'
import { fileStore } from 'placard-agent/file-store'

const [address = '', destination = '', category = '', approved] = process.argv.slice(2)
const service = address.replace(/\/$/, '')

try {
  const store = fileStore() // $PLACARD_JOURNAL, or a file in the home folder
  const onRetry = ({ error }: PlacardError, waitMs: number) =>
    console.error(`${error} Again in ${Math.ceil(waitMs / 1000)} s.`)
  const client = new PlacardClient({ service, store, onRetry })

  if (approved === '--user-approved') {
    const { receipt, replayed } = await client.publish({ destination, category, userApproved: true })
    console.log(`${replayed ? 'Published earlier' : 'Published'}: ${receipt.status}, ${receipt.productUrl}`)
    console.log(`The private link is in ${store.name}; npx placard-agent link shows it to the customer.`)
  } else {
    const { wouldPublish, listing, publishReply } = await client.check({ destination, category })
    if (!wouldPublish) throw new Error(`${publishReply.status} ${publishReply.code}: ${publishReply.error}`)
    console.log(`Would be listed: ${listing?.title}\n${listing?.description}`)
    console.log(`Nothing is published. Show this and ${service}/rules to the customer, and ask.`)
    process.exitCode = 2
  }
} catch (error) {
  if (error instanceof PlacardError) console.error(`${error.code}: ${error.message}`)
  else console.error(String(error))
  process.exitCode = 1
}
