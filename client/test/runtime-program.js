import { readFileSync, statSync } from 'node:fs'
import { argv, exit } from 'node:process'
import { memoryStore, mergeSubmissions, PlacardClient, PlacardError } from 'placard-agent'
import { fileStore } from 'placard-agent/file-store'

// What the client does must be the same in every runtime: this prints it.

const [service, gone, journal] = argv.slice(2)
const request = { destination: 'https://shop.example.org/', category: 'Games', userApproved: true }
const store = fileStore(journal)
const client = new PlacardClient({
  service,
  store,
  firstBackoffMs: 1,
  // Longer than any machine needs.
  waitBudgetMs: 240_000,
  requestTimeoutMs: 240_000,
})
const kindOf = promise =>
  promise.then(
    () => 'none',
    error => (error instanceof PlacardError ? `${error.kind} ${error.code}` : error),
  )
const stop = new AbortController()
setTimeout(() => stop.abort(), 50)

const said = {
  // The first two answers are lost, and half sent.
  published: (await client.publish(request)).receipt.status,
  status: (await client.status('shop.example.org')).state,
  mode: (statSync(journal).mode & 0o777).toString(8),
  lines: readFileSync(journal, 'utf8').trim().split('\n').length,
  moved: await mergeSubmissions(store, memoryStore()),
  redirected: await kindOf(client.capabilities()),
  timeout: await kindOf(new PlacardClient({ service, requestTimeoutMs: 50, waitBudgetMs: 0 }).capabilities()),
  stopped: await kindOf(client.capabilities({ signal: stop.signal })),
  gone: await kindOf(new PlacardClient({ service: gone, waitBudgetMs: 0 }).capabilities()),
  wrong: await kindOf(client.publish({})),
}
console.log(JSON.stringify(said))
exit(0)
