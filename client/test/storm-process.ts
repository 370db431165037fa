import { PlacardClient } from '../src/client.ts'
import { PlacardError } from '../src/error.ts'
import { fileStore } from '../src/file-store/index.ts'

// An agent as a process that may be killed, in a hurry or patient: publishes one destination and prints what it got.

const [service = '', path = '', destination = '', patience] = process.argv.slice(2)
const hurry = { requestTimeoutMs: 300, waitBudgetMs: 400 }
const client = new PlacardClient({
  service,
  store: fileStore(path),
  ...(patience === 'patient' ? {} : hurry),
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
