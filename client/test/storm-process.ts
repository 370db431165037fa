import { fileStore } from '../src/file-store/index.ts'
import { PlacardClient, PlacardError } from '../src/index.ts'

// An agent in a hurry, as a process that may be killed: publishes one destination and prints what it got.

const [service = '', path = '', destination = ''] = process.argv.slice(2)
const client = new PlacardClient({
  service,
  store: fileStore(path),
  requestTimeoutMs: 300,
  waitBudgetMs: 400,
  firstBackoffMs: 10,
})
try {
  const publication = await client.publish({ destination, category: 'Food & Drink', userApproved: true })
  const { receipt, privateLink } = publication
  console.log(JSON.stringify({ receipt, hasLink: privateLink !== undefined, publication }))
} catch (error) {
  if (!(error instanceof PlacardError)) throw error
  console.log(JSON.stringify({ error, message: error.message }))
}
