import { readBytes } from '../service/exchange.ts'
import { listSubmissions } from '../submissions/recover.ts'
import { ProtocolError, ProtocolErrorCode } from './sdk.ts'
import type { Parts } from './tool.ts'

const TEXT_MAX_LENGTH = 256 * 1024
const TIMEOUT_MS = 30_000
const URI_SHOWN_LENGTH = 500
const RECEIPTS = 'placard://receipt/'

/** Pages of the site that are plain text. */
const pages = (service: string) => [
  {
    uri: `${service}/agent-guide.md`,
    name: 'guide',
    title: 'Agent guide',
    description: 'How to check, publish, recover a receipt and preview a paid place.',
    mimeType: 'text/markdown',
  },
  {
    uri: `${service}/rules`,
    name: 'rules',
    title: 'Rules',
    description: 'What may be listed, how it is reviewed, what is not guaranteed.',
    mimeType: 'text/html',
  },
]

/** Lists the guide, the rules, and the receipt of each submission. A receipt here has no private link. */
export async function listResources({ service, store }: Parts) {
  return {
    resources: [
      ...pages(service),
      ...(await receipts({ service, store })).map(({ destination, receipt }) => ({
        uri: RECEIPTS + receipt.requestId,
        name: `receipt of ${destination}`,
        description: 'Its last known public receipt.',
        mimeType: 'application/json',
      })),
    ],
  }
}

export const listTemplates = () => ({
  resourceTemplates: [
    {
      uriTemplate: `${RECEIPTS}{requestId}`,
      name: 'receipt',
      title: 'Receipt',
      description: 'The last known public receipt of a submission. To update it, use status.',
      mimeType: 'application/json',
    },
  ],
})

/** Returns the text of a resource. Throws a `ProtocolError`. */
export async function readResource(parts: Parts, uri: string, signal: AbortSignal) {
  const page = pages(parts.service).find(one => one.uri === uri)
  if (page) {
    const { mimeType } = page
    return { contents: [{ uri, mimeType, text: await load(uri, signal) }] }
  }
  const found = (await receipts(parts)).find(({ receipt }) => RECEIPTS + receipt.requestId === uri)
  if (found) return { contents: [{ uri, mimeType: 'application/json', text: JSON.stringify(found.receipt) }] }
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no such resource. Use resources/list.', {
    uri: uri.slice(0, URI_SHOWN_LENGTH),
  })
}

async function receipts({ service, store }: Pick<Parts, 'service' | 'store'>) {
  const all = (await listSubmissions(store)).filter(one => one.service === service)
  return all.flatMap(({ destination, receipt }) => (receipt ? { destination, receipt } : []))
}

async function load(url: string, signal: AbortSignal): Promise<string> {
  try {
    const response = await fetch(url, {
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    })
    if (!response.ok) throw new Error(`it answers ${response.status}`)
    return new TextDecoder().decode(await readBytes(response)).slice(0, TEXT_MAX_LENGTH)
  } catch {
    throw new ProtocolError(
      ProtocolErrorCode.InternalError,
      'The site cannot be reached now, or has no such page. Read it again later.',
    )
  }
}
