import ICAL from 'ical.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { NOON } from '../../support/service.ts'
import { type Pages, startPages } from '../page-app.ts'

const END = NOON + 40 * 24 * 60 * 60 * 1000 + 61_000

let pages: Pages
beforeAll(async () => {
  pages = await startPages()
})
afterAll(() => pages.close())

async function calendarOf(title: string) {
  const { publicPath } = await pages.addListing({ title, expiresAt: END })
  const response = await pages.get(`${publicPath}/end.ics`)
  const text = await response.text()
  const [event] = new ICAL.Component(ICAL.parse(text)).getAllSubcomponents('vevent')
  if (!event) throw new Error('no event')
  return {
    response,
    text,
    event: new ICAL.Event(event),
    alarm: event.getFirstSubcomponent('valarm'),
    publicPath,
  }
}

test('the end of a listing is a calendar file, with a reminder a week before', async () => {
  const { response, event, alarm, publicPath } = await calendarOf('Bread')
  expect(response.headers.get('content-type')).toBe('text/calendar; charset=utf-8')
  expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename="site-[\w-]+\.ics"$/)
  expect(event.startDate.toJSDate().getTime()).toBe(END)
  expect(event.summary).toBe('Your listing ends: Bread')
  expect(event.component.getFirstPropertyValue('url')).toBe(pages.url + publicPath)
  expect(alarm?.getFirstPropertyValue('trigger')?.toString()).toBe('-P7D')
  expect(event.uid).toMatch(/-end@127\.0\.0\.1$/)
})

test.each([
  'One; two, three\\four: five',
  'A line\r\nEND:VEVENT\r\nBEGIN:VEVENT\nSUMMARY:Not mine',
  '面'.repeat(150),
  `${'e\u0301🥖'.repeat(60)}`,
  'x'.repeat(200),
  '\u0000\u0007\u0085 bell',
])('keeps its form whatever the title: %j', async title => {
  const { text, event } = await calendarOf(title)
  expect(event.summary).toBe(`Your listing ends: ${title.replace(/\r?\n/g, ' ').replace(/\p{Cc}/gu, '')}`)
  expect(text).toMatch(/\r\n$/)
  expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
  for (const line of text.split('\r\n')) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75)
  expect(text.match(/^BEGIN:VEVENT/gm)).toHaveLength(1)
})

test('is there only for a listing that is up and has an end', async () => {
  const [paid, down, ended] = [
    await pages.addListing({ expiresAt: null }),
    await pages.addListing({ hiddenAt: NOON }),
    await pages.addListing({ expiresAt: NOON }),
  ]
  const status = async (path: string) => (await pages.get(`${path}/end.ics`)).status
  expect(await status(paid.publicPath)).toBe(404)
  expect(await status(down.publicPath)).toBe(410)
  expect(await status(ended.publicPath)).toBe(410)
  expect(await status('/product/none')).toBe(404)
})
