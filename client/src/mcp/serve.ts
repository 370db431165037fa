import type { Readable, Writable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { wrongParams } from '@placard/contract/plain'
import { messageOf } from '../error.ts'
import {
  isJSONRPCRequest,
  PROTOCOL_VERSION_META_KEY,
  ProtocolErrorCode,
  StdioServerTransport,
  serveStdio,
  UnsupportedProtocolVersionError,
} from './sdk.ts'
import { MCP_VERSIONS, mcpServer } from './server.ts'
import type { Parts } from './tool.ts'

/** No valid argument comes near this length. A longer message ends the connection, because its end may never come. */
const MESSAGE_MAX_BYTES = 4 * 1024 * 1024

/** The streams of the messages. Nothing else is written to stdout. */
interface Streams {
  stdin: Readable
  stdout: Writable
  stderr: { write(text: string): unknown }
}

/**
 * Serves one program over MCP until stdin ends. Then it stops every running call. Submissions stay in the journal, to
 * be resumed. @returns the exit code: 2 after a message that is too long
 */
export async function serve(parts: Parts, { stdin, stdout, stderr }: Streams): Promise<number> {
  const transport = new StdioServerTransport(stdin, stdout, { maxBufferSize: MESSAGE_MAX_BYTES })
  let exitCode = 0
  const ended = new Promise<void>(resolve => {
    serveStdio(() => mcpServer(parts), {
      transport,
      // Tools and resources do not change while this runs, so there is nothing to subscribe to.
      maxSubscriptions: 0,
      onerror: error => {
        stderr.write(`placard-agent: ${messageOf(error)}\n`)
      },
    })
    const { onclose, onmessage } = transport
    // The library checks the revision of the first message only.
    transport.onmessage = message => {
      const refusal = refusalOfRevision(message) ?? refusalOfParams(message)
      if (refusal) void transport.send(refusal).catch(() => {})
      else onmessage?.(message)
    }
    // The library drops what is no valid request, and its sender would wait for an answer.
    const stopReading = onLine(stdin, line => {
      const refusal = refusalOfInvalid(line)
      if (refusal) void transport.send(refusal).catch(() => {})
    })
    transport.onclose = () => {
      stopReading()
      onclose?.()
      const isGone = stdin.readableEnded || stdin.destroyed || stdout.errored || stdout.destroyed
      if (!isGone) exitCode = 2
      resolve()
    }
  })
  await ended
  stdin.destroy()
  return exitCode
}

/** Calls `act` with each line. Not `readline`, which also ends a line at U+2028, as JSON may hold it. @returns an end */
function onLine(stdin: Readable, act: (line: string) => void): () => void {
  const decoder = new StringDecoder()
  let rest = ''
  const read = (bytes: Buffer) => {
    const lines = (rest + decoder.write(bytes)).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) act(line)
  }
  stdin.on('data', read)
  return () => void stdin.off('data', read)
}

type Message = Parameters<NonNullable<StdioServerTransport['onmessage']>>[0]

/** Returns the error for a request that names a revision which is not served message by message. */
function refusalOfRevision(message: Message): Message | undefined {
  if (!('method' in message && 'id' in message)) return undefined
  const meta = message.params?._meta as Record<string, unknown> | undefined
  const requested = meta?.[PROTOCOL_VERSION_META_KEY]
  const [supported] = MCP_VERSIONS
  if (typeof requested !== 'string' || requested === supported) return undefined
  const error = new UnsupportedProtocolVersionError({ supported: [supported], requested })
  const { code, data } = error
  return { jsonrpc: '2.0', id: message.id, error: { code, message: error.message, data } }
}

/** Returns the error for a request whose parameters are wrong. */
function refusalOfParams(message: Message): Message | undefined {
  const wrong = isJSONRPCRequest(message) && wrongParams(message)
  if (!wrong) return undefined
  return { jsonrpc: '2.0', id: message.id, error: { code: ProtocolErrorCode.InvalidParams, message: wrong } }
}

/**
 * Returns the error for a line that is not JSON, or a batch, or that names a method and an id, but is no valid request,
 * such as for `"params": null`. In MCP, an error about an unknown request has no id.
 */
function refusalOfInvalid(line: string): Message | undefined {
  let message: { id?: unknown; method?: unknown } | null
  try {
    message = JSON.parse(line)
  } catch {
    if (!line.trim()) return undefined
    const error = {
      code: ProtocolErrorCode.ParseError,
      message: 'Not valid JSON. Send each message as one line of JSON.',
    }
    return { jsonrpc: '2.0', error }
  }
  if (Array.isArray(message) && message.length > 0) {
    const batch = 'Not a JSON-RPC message but a batch. Send each message as one line of JSON.'
    return { jsonrpc: '2.0', error: { code: ProtocolErrorCode.InvalidRequest, message: batch } }
  }
  const { id, method } = message ?? {}
  if (typeof method !== 'string' || (typeof id !== 'string' && typeof id !== 'number')) return undefined
  if (isJSONRPCRequest(message)) return undefined
  const error = { code: ProtocolErrorCode.InvalidRequest, message: 'Not a valid JSON-RPC 2.0 request.' }
  return { jsonrpc: '2.0', id, error }
}
