import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { HOSTILE_PAGES, ORDINARY_PAGE } from './hostile-pages.ts'
import { answerQuestions } from './server-process.ts'

// Serves all websites. A host's name says which page it shows, such as blanks-17.com. Its argument is how many
// milliseconds each takes to answer.

const delayMs = Number(process.argv[2] ?? 0)

const pages = new Map(Object.entries(HOSTILE_PAGES).map(([name, page]) => [name, Buffer.from(page)]))
const ordinary = Buffer.from(ORDINARY_PAGE)

const server = createServer(({ headers }, response) => {
  response.setHeader('content-type', 'text/html; charset=utf-8')
  const page = pages.get(headers.host?.split('-', 1)[0] ?? '') ?? ordinary
  if (delayMs > 0) setTimeout(() => response.end(page), delayMs)
  else response.end(page)
})
server.listen(0, '127.0.0.1', () =>
  answerQuestions(`:80:127.0.0.1:${(server.address() as AddressInfo).port}`),
)
