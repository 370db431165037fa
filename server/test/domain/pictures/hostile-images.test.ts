// @module-tag programs
import type { RequestListener } from 'node:http'
import { crc32, deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { addresses, startDnsServer } from '../../support/dns-server.ts'
import { BANDS, image, type Pictures, sends, startPictures } from './pictures.ts'

let pictures: Pictures
beforeAll(async () => {
  pictures = await startPictures('sqlite')
})
afterAll(() => pictures.stop())

it('uses nothing that is broken, too small, too large, no image, or no image of these kinds', async () => {
  const png = await image().png().toBuffer()
  // Says it is 60,000 pixels wide and high, in 40 bytes.
  const hugeGif = Buffer.from('47494638396160ea60ea800000000000ffffff2c0000000060ea60ea0002024401003b', 'hex')
  const bad: Record<string, RequestListener> = {
    small: sends(await sharp(png).resize(199, 104).png().toBuffer()),
    text: sends('<script>alert(1)</script>'),
    lying: sends(png, 'text/html'),
    drawing: sends(BANDS, 'image/svg+xml'),
    disguised: sends(BANDS),
    bomb: sends(bombPng(6000, 5000)),
    gif: sends(hugeGif, 'image/gif'),
    cut: sends((await image().jpeg().toBuffer()).subarray(0, 3000), 'image/jpeg'),
    heavy: sends(Buffer.alloc(5 * 1024 * 1024 + 1)),
    gone: sends('', 'image/png', 404),
    away: (_request, response) => void response.writeHead(302, { location: 'http://elsewhere.com/' }).end(),
  }
  const ids = new Map<string, number>()
  for (const [name, answer] of Object.entries(bad)) {
    pictures.sites.set(`${name}-img.net`, answer)
    ids.set(name, await pictures.list(name, `http://${name}-img.net/i`))
  }
  ids.set('address', await pictures.list('address', 'http://127.0.0.1/i'))
  ids.set('ownhost', await pictures.list('ownhost', 'http://our-board.com/i'))
  ids.set('none', await pictures.list('none', null))
  await pictures.startWorker().fetchDue()
  for (const [name, id] of ids) {
    expect(await pictures.rowOf(id), name).toMatchObject({ state: 'none', tryAt: null, bytes: null })
  }
  expect(pictures.sites.visits('elsewhere.com')).toBe(0)
  expect(pictures.sites.visits('our-board.com')).toBe(0)
})

it('follows redirects within a website, and takes the first frame of what moves', async () => {
  const frames = await sharp(await image().resize(400, 400, { fit: 'fill' }).raw().toBuffer(), {
    raw: { width: 400, height: 400, channels: 4, pageHeight: 200 },
  })
    .gif()
    .toBuffer()
  pictures.sites.set(
    'moving.net',
    (_request, response) => void response.writeHead(301, { location: 'http://img.moving.net/i' }).end(),
  )
  pictures.sites.set('img.moving.net', sends(frames, 'image/gif'))
  const id = await pictures.list('moving', 'http://moving.net/i')
  await pictures.startWorker().fetchDue()
  const { state, bytes } = await pictures.rowOf(id)
  expect(state).toBe('stored')
  const { dominant } = await sharp(bytes ?? Buffer.alloc(0)).stats()
  expect(dominant.r).toBeGreaterThan(dominant.g)
})

it('does not reach into the network it runs in', async () => {
  const dns = await startDnsServer(question => addresses(question, '127.0.0.1', '10.0.0.7', '::1'))
  const id = await pictures.list('inside', 'http://inside-img.net/i')
  await pictures.startWorker([dns.address]).fetchDue()
  expect(dns.questions.length).toBeGreaterThan(0)
  expect(await pictures.rowOf(id)).toMatchObject({ state: 'none', bytes: null })
  await dns.close()
})

/** A sound PNG of a few kilobytes that unpacks to that many pixels. */
function bombPng(width: number, height: number): Buffer {
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0])
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    pngChunk('IHDR', header),
    pngChunk('IDAT', deflateSync(Buffer.alloc((1 + width / 8) * height))),
    pngChunk('IEND', Buffer.alloc(0)),
  ])
}

function pngChunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data])
  const chunk = Buffer.alloc(body.length + 8)
  chunk.writeUInt32BE(data.length, 0)
  body.copy(chunk, 4)
  chunk.writeUInt32BE(crc32(body), body.length + 4)
  return chunk
}
