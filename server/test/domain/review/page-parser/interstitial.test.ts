import { expect, it } from 'vitest'
import { readPage } from '../../../../src/domain/review/page-parser/read-page.ts'
import { CHALLENGES, INNOCENT, type Shown } from './interstitials.ts'

const read = ({ html, headers, url = 'https://acme.com/' }: Shown) =>
  readPage(Buffer.from(html), new URL(url), { 'content-type': 'text/html; charset=utf-8', ...headers })

it.each(CHALLENGES)('$what is no page of the website', page => {
  expect(read(page)).toMatchObject({
    verdict: 'cannot_tell',
    fault: 'site_unreachable',
    detail: expect.stringMatching(/^The website shows a .* instead of its page\./),
  })
})

it.each(INNOCENT)('$what is read', page => {
  expect(read(page).verdict).toBe('pass')
})

it('a page with the proof of a website is read, whatever else it shows', () => {
  for (const { html, ...page } of CHALLENGES) {
    expect(read({ ...page, html: `<meta name=placard-challenge content=x>${html}` }).verdict).toBe('pass')
  }
})
