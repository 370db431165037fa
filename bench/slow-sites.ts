import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

// Websites of one page of 60 KB. What the host's name begins with says when they answer.

const DELAYS_MS: Record<string, number> = { usual: 500, slow: 5000, silent: Number.POSITIVE_INFINITY }

const WORDS = 'bread oven morning flour butter counter walnut honey market baker crust coffee village linen apple plum'
const words = WORDS.split(' ')
/** Always the same text, which hardly repeats itself. */
let seed = 7
const sentence = () => {
  const some = Array.from({ length: 12 }, () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
    return words[seed % words.length]
  })
  return `${some.join(' ')}.`
}
const card = (_: unknown, nth: number) =>
  `<section class="card" data-id="${nth}"><h2><a href="/item/${nth}">${sentence()}</a></h2><p class="text text--muted">${sentence()} ${sentence()}</p><img src="https://cdn.shop.com/${nth}.jpg" alt="${sentence()}" width="320" height="200"><ul><li>${sentence()}<li><a href="https://partner-${nth % 20}.com/x">${sentence()}</a></ul></section>\n`
const head =
  '<!doctype html><html lang="en"><title>Juniper Lane Bakery</title><meta name="description" content="Bread, baked every morning.">'
const page = Buffer.from(head + Array.from({ length: 82 }, card).join(''))

const server = createServer((request, response) => {
  const delayMs = DELAYS_MS[request.headers.host?.split('-', 1)[0] ?? ''] ?? 0
  if (!Number.isFinite(delayMs)) return
  const headers = { 'content-type': 'text/html; charset=utf-8', 'content-length': page.length }
  setTimeout(() => response.writeHead(200, headers).end(page), delayMs)
})
server.listen(0, '127.0.0.1', () => {
  console.log(`{"port":${(server.address() as AddressInfo).port},"engine":"none"}`)
})
