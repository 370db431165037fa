// @module-tag programs
import type { Socket } from 'node:net'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { extendListing } from '../../../src/domain/moderation/end-dates.ts'
import { restoreListing } from '../../../src/domain/moderation/moderate.ts'
import { wantPicture } from '../../../src/domain/pictures/preview-image.ts'
import { PICTURE_FETCH_LIMITS } from '../../../src/ops/jobs/fetch-pictures.ts'
import { image, MINUTE_MS, type Pictures, sends, startPictures } from '../../domain/pictures/pictures.ts'
import { SQLITE_FIRST } from '../../support/engines.ts'
import { payFor } from '../../support/ledger.ts'
import { NOON } from '../../support/service.ts'

describe.each(SQLITE_FIRST)('the picture worker on %s', engine => {
  let pictures: Pictures
  beforeAll(async () => {
    pictures = await startPictures(engine)
  })
  afterAll(() => pictures.stop())

  it('stores what a page offers as 640×360 WebP, upright and without metadata', async () => {
    const turned = await image()
      .jpeg()
      .withExif({ IFD0: { Copyright: 'private words' } })
      .withMetadata({ orientation: 6 })
      .toBuffer()
    pictures.sites.set('cdn-upright.net', (request, response) =>
      sends(request.url === '/a.jpg?w=1200&sig=x' ? turned : '', 'image/jpeg')(request, response),
    )
    const id = await pictures.list('upright', 'http://cdn-upright.net/a.jpg?w=1200&sig=x')
    expect(await pictures.rowOf(id)).toMatchObject({ state: 'wanted', tryAt: NOON, bytes: null })
    await pictures.startWorker().fetchDue()

    const { bytes, ...row } = await pictures.rowOf(id)
    expect(row).toMatchObject({
      state: 'stored',
      tryAt: null,
      mediaType: 'image/webp',
      width: 640,
      height: 360,
      version: expect.stringMatching(/^[\w-]{12}$/),
      storedAt: NOON,
    })
    const stored = await sharp(bytes ?? Buffer.alloc(0)).metadata()
    expect(stored).toMatchObject({ format: 'webp', width: 640, height: 360 })
    expect(stored.exif ?? stored.icc ?? stored.xmp).toBeUndefined()
    // A quarter turn moves red above green to green on the left, red on the right.
    const raw = await sharp(bytes ?? Buffer.alloc(0))
      .raw()
      .toBuffer()
    const pixel = (x: number) => [...raw.subarray((180 * 640 + x) * 3, (180 * 640 + x) * 3 + 2)]
    expect(pixel(230)[1]).toBeGreaterThan(pixel(230)[0] ?? 255)
    expect(pixel(410)[0]).toBeGreaterThan(pixel(410)[1] ?? 255)
  })

  it.each(['application/octet-stream', 'binary/octet-stream'])('takes an image sent as %s by its bytes', async type => {
    const host = `${type.split('/')[0]}-img.net`
    const [png, page] = [await image().png().toBuffer(), '<script>alert(1)</script>']
    pictures.sites.set(host, (request, response) => sends(request.url === '/1' ? png : page, type)(request, response))
    const ids = [
      await pictures.list(`${host}-1`, `http://${host}/1`),
      await pictures.list(`${host}-2`, `http://${host}/2`),
    ]
    await pictures.startWorker().fetchDue()
    const states = await Promise.all(ids.map(async id => (await pictures.rowOf(id)).state))
    expect(states).toEqual(['stored', 'none'])
  })

  it('shows a logo without a background, whether it is white or dark', async () => {
    const logo = (fill: string) =>
      `<svg xmlns="http://www.w3.org/2000/svg" width="800" height="400"><rect x="200" y="100" width="400" height="200" fill="${fill}"/></svg>`
    // The red of a pixel at the edge, and of one in the middle.
    const seen = async (name: string, fill: string) => {
      pictures.sites.set(
        `${name}-img.net`,
        sends(
          await sharp(Buffer.from(logo(fill)))
            .png()
            .toBuffer(),
        ),
      )
      const id = await pictures.list(name, `http://${name}-img.net/i`)
      await pictures.startWorker().fetchDue()
      const raw = await sharp((await pictures.rowOf(id)).bytes ?? Buffer.alloc(0))
        .raw()
        .toBuffer()
      return [raw[3 * 640 * 10] ?? 0, raw[3 * (640 * 180 + 320)] ?? 0]
    }
    const [aroundWhite = 255, white = 0] = await seen('white-logo', '#fff')
    expect([aroundWhite < 50, white > 200]).toEqual([true, true])
    const [aroundDark = 0, dark = 255] = await seen('dark-logo', '#123')
    expect([aroundDark > 200, dark < 50]).toEqual([true, true])
  })

  it('fetches an image whose address has a title in its path, as image services make them', async () => {
    const title = encodeURIComponent(
      encodeURIComponent('東京の小さなカフェで働きながら考えたこと、そして十年で学んだこと'),
    )
    const path = `/image/upload/c_fit%2Cl_text:notosans.otf_55:${title}/og.png`
    expect(path.length).toBeGreaterThan(500)
    const png = await image().png().toBuffer()
    pictures.sites.set('titled-img.net', (request, response) =>
      sends(request.url === path ? png : '')(request, response),
    )
    const id = await pictures.list('titled', `http://titled-img.net${path}`)
    await pictures.startWorker().fetchDue()
    expect(await pictures.rowOf(id)).toMatchObject({ state: 'stored' })
  })

  it('tries again while a website is down, four times in all', async () => {
    const png = await image().png().toBuffer()
    pictures.sites.set('down-img.net', sends('', 'text/plain', 503))
    const [healed, given] = [
      await pictures.list('heals', 'http://down-img.net/1'),
      await pictures.list('dies', 'http://down-img.net/2'),
    ]
    const worker = pictures.startWorker()
    await worker.fetchDue()
    await worker.fetchDue()
    expect(pictures.sites.visits('down-img.net')).toBe(2)
    for (const wait of [5, 60]) {
      pictures.clock.now += wait * MINUTE_MS - 1
      await worker.fetchDue()
      pictures.clock.now += 1
      await worker.fetchDue()
    }
    expect(pictures.sites.visits('down-img.net')).toBe(6)
    pictures.sites.set('down-img.net', (request, response) =>
      request.url === '/1' ? sends(png)(request, response) : sends('', 'text/plain', 503)(request, response),
    )
    pictures.clock.now += 360 * MINUTE_MS
    await worker.fetchDue()
    expect(await pictures.rowOf(healed)).toMatchObject({ state: 'stored', attempts: 0, tryAt: null })
    expect(await pictures.rowOf(given)).toMatchObject({ state: 'none', tryAt: null })
  })

  it('asks websites that do not answer again only after a wait that grows, and fetches from others beside them', async () => {
    pictures.sites.set('other-img.net', sends(await image().png().toBuffer()))
    const other = await pictures.list('other', 'http://other-img.net/i')
    // The newest are fetched first, and these take every turn: each ends only when all of them wait.
    pictures.clock.now += MINUTE_MS
    const turns = PICTURE_FETCH_LIMITS.atOnceMax ?? 0
    const silent = Array.from({ length: turns }, (_, nth) => `silent-${nth}-img.net`)
    const waiting: Socket[] = []
    for (const [nth, host] of silent.entries()) {
      pictures.sites.set(host, ({ socket }) => {
        if (waiting.push(socket) === turns) for (const each of waiting.splice(0)) each.destroy()
      })
      await pictures.list(`silent-${nth}`, `http://${host}/i`)
    }
    const worker = pictures.startWorker()
    const visits = () => [...new Set(silent.map(host => pictures.sites.visits(host)))]
    await worker.fetchDue()
    expect((await pictures.rowOf(other)).state).toBe('stored')
    expect(visits()).toEqual([1])
    for (const [nth, wait] of [5, 60, 360].entries()) {
      pictures.clock.now += wait * MINUTE_MS - 1
      await worker.fetchDue()
      expect(visits()).toEqual([nth + 1])
      pictures.clock.now += 1
      await worker.fetchDue()
      expect(visits()).toEqual([nth + 2])
    }
  })

  it('fetches once if two instances look at the same time', async () => {
    pictures.sites.set('twice-img.net', sends(await image().png().toBuffer()))
    const id = await pictures.list('twice', 'http://twice-img.net/i')
    await Promise.all([pictures.startWorker().fetchDue(), pictures.startWorker().fetchDue()])
    expect(pictures.sites.visits('twice-img.net')).toBe(1)
    expect((await pictures.rowOf(id)).state).toBe('stored')
  })

  it('retries a picture whose worker ended between lease and outcome', async () => {
    const png = await image().png().toBuffer()
    const worker = pictures.startWorker()
    const asked = new Promise<void>(resolve => pictures.sites.set('slow-img.net', () => resolve()))
    const id = await pictures.list('slow', 'http://slow-img.net/i')
    const stop = new AbortController()
    const cutOff = worker.fetchDue(stop.signal)
    await asked
    stop.abort()
    await cutOff
    expect(await pictures.rowOf(id)).toMatchObject({
      state: 'wanted',
      attempts: 1,
      tryAt: pictures.clock.now + 5 * MINUTE_MS,
    })
    pictures.sites.set('slow-img.net', sends(png))
    pictures.clock.now += 5 * MINUTE_MS
    await pictures.startWorker().fetchDue()
    expect((await pictures.rowOf(id)).state).toBe('stored')
  })

  const restored = ({ store, clock }: Pictures, host: string) =>
    restoreListing(store, host.replace('.', '-'), 'test', clock.now)
  const extended = ({ store, clock: { now } }: Pictures, host: string) =>
    extendListing(store, host.replace('.', '-'), 9, 'test', now, { actor: 'operator:anna' })
  const paid = ({ store, clock }: Pictures, host: string) =>
    payFor(store, host, `pi_${host}`, { amountCents: 2500, at: clock.now })
  it.each([
    ['hidden', 'restored', { hiddenAt: NOON }, restored],
    ['ended', 'restored', { expiresAt: NOON }, restored],
    ['expired', 'extended', { expiresAt: NOON }, extended],
    ['over', 'paid for', { expiresAt: NOON }, paid],
  ])('visits no website for a listing that is %s, and catches up once it is %s', async (how, _, down, up) => {
    pictures.sites.set(`${how}-img.net`, sends(await image().png().toBuffer()))
    const id = await pictures.list(how, `http://${how}-img.net/i`)
    await pictures.store.transact(trx => trx.updateTable('listing').set(down).where('id', '=', id).execute())
    const worker = pictures.startWorker()
    await worker.fetchDue()
    expect(pictures.sites.visits(`${how}-img.net`)).toBe(0)
    // While it stayed due, every read looked at it again.
    expect((await pictures.rowOf(id)).tryAt).toBeGreaterThan(pictures.clock.now)
    await up(pictures, `${how}.com`)
    await worker.fetchDue()
    expect((await pictures.rowOf(id)).state).toBe('stored')
  })

  it('keeps a picture until the same address brings a new one, and drops it for another address', async () => {
    pictures.sites.set('kept-img.net', sends(await image().png().toBuffer()))
    const id = await pictures.list('kept', 'http://kept-img.net/i')
    const otherId = await pictures.list('kept-too', 'http://kept-img.net/i')
    const worker = pictures.startWorker()
    await worker.fetchDue()
    const { version } = await pictures.rowOf(id)
    const other = await pictures.rowOf(otherId)
    expect(other.version).toBe(version)

    pictures.sites.set('kept-img.net', sends(await image().negate({ alpha: false }).png().toBuffer()))
    await pictures.store.transact(trx => wantPicture(trx, id, 'http://kept-img.net/i', pictures.clock.now))
    expect(await pictures.rowOf(id)).toMatchObject({ state: 'stored', version, tryAt: pictures.clock.now })
    await worker.fetchDue()
    const renewed = await pictures.rowOf(id)
    expect(renewed.state).toBe('stored')
    expect(renewed.version).not.toBe(version)

    await pictures.store.transact(trx => wantPicture(trx, id, 'http://kept-img.net/other', pictures.clock.now))
    expect(await pictures.rowOf(id)).toMatchObject({ state: 'wanted', version: null, bytes: null })
    await pictures.store.transact(trx => wantPicture(trx, id, null, pictures.clock.now))
    expect(await pictures.rowOf(id)).toMatchObject({ state: 'none', sourceUrl: null, tryAt: null })
    expect(await pictures.rowOf(otherId)).toEqual(other)
  })
})
