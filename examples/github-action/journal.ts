/**
 * Asks the customer, and makes the journal that `list-at-release.yml` publishes with. It publishes nothing itself.
 *
 *   node examples/github-action/journal.ts SERVICE DESTINATION CATEGORY FILE
 *
 * Key and secret are made here, before any release, because what a workflow makes is lost with its machine.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { PlacardClient } from 'placard-agent'
import { fileStore } from 'placard-agent/file-store'

const [address = '', destination = '', category = '', file = ''] = process.argv.slice(2)
if (file === '' || existsSync(file)) throw new Error('Name a file that does not exist yet.')
// As the client writes it into a journal, and looks for it there.
const service = new URL(address).href.replace(/\/$/, '')

/** One word for a shell. */
const word = (text: string) => (/^[\w:/.-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`)

const client = new PlacardClient({ service })
const { wouldPublish, listing, publishReply } = await client.check({ destination, category })
if (!wouldPublish) throw new Error(publishReply.error)
const { publishingPolicy, discovery } = await client.capabilities()
const { approvalScope: scope, rulesVersion } = publishingPolicy

console.log(`At its next release, ${destination} will be listed in public for ${discovery.displayDays} days:
${listing?.title}
${listing?.description}
Category: ${category}. Rules: ${service}/rules`)
const terminal = createInterface({ input: process.stdin, output: process.stdout })
const answer = await terminal.question('Does the customer agree? Type yes: ')
terminal.close()
if (answer !== 'yes') throw new Error('Nothing was made.')

await fileStore(file).append({
  type: 'submission',
  at: new Date().toISOString(),
  service,
  key: randomUUID(),
  secret: randomBytes(32).toString('hex'),
  body: JSON.stringify({ destination, category, approval: { scope, userApproved: true, rulesVersion } }),
  approval: { how: 'asked before the workflow was set up' },
})
console.log(`
Keep ${file}. Then, with GitHub's command, in the repository:
  gh secret set PLACARD_JOURNAL < ${word(file)}
  gh variable set PLACARD_SERVICE --body ${word(service)}
  gh variable set PLACARD_DESTINATION --body ${word(destination)}
  gh variable set PLACARD_CUSTOMER_APPROVED --body ${word(destination)}`)
