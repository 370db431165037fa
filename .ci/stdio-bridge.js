// Lets MCP's conformance tests, which speak HTTP only, reach `placard-agent mcp`: each session has a process of its own,
// and messages without a session share one. Adds and changes nothing. Arguments: the port, and the board's address.
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { createInterface } from 'node:readline'
import { json } from 'node:stream/consumers'

const [port, service] = process.argv.slice(2)
const sessions = new Map()
const withoutSession = start()

createServer(async (request, response) => {
  if (request.method !== 'POST') return response.writeHead(405).end()
  const message = await json(request)
  const isNew = message.method === 'initialize' && !message.params?._meta
  const id = isNew ? randomUUID() : request.headers['mcp-session-id']
  if (isNew) sessions.set(id, start())
  const answer = await (sessions.get(id) ?? withoutSession)(message)
  if (!answer) return response.writeHead(202).end()
  response.writeHead(200, { 'content-type': 'application/json', ...(id && { 'mcp-session-id': id }) })
  response.end(JSON.stringify(answer))
}).listen(Number(port), '127.0.0.1')

/** Starts a process. @returns what sends it a message and gives the answer, if there is to be one */
function start() {
  const child = spawn(process.execPath, ['client/bin/placard-agent.js', 'mcp', '--service', service], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const waiting = new Map()
  createInterface({ input: child.stdout }).on('line', line => {
    const answer = JSON.parse(line)
    waiting.get(answer.id)?.(answer)
  })
  return message => {
    child.stdin.write(`${JSON.stringify(message)}\n`)
    return message.id === undefined ? undefined : new Promise(resolve => waiting.set(message.id, resolve))
  }
}
