import { openapiDocument } from '@placard/contract'
import { expect, it } from 'vitest'
import { PLACARD } from '../../../src/platform/config/site.ts'
import { Links } from '../../../src/platform/http/links.ts'
import { renderApiReference } from '../../../src/web/texts/api-reference.tsx'

const BASE = 'https://placard.example.org'

/** The page of a site with these terms. */
function pageWith(license: string | undefined): string {
  const links = new Links({ baseUrl: BASE, supportUrl: undefined, site: { ...PLACARD, license } })
  const document = JSON.parse(JSON.stringify(openapiDocument({ base: BASE, support: links.support })))
  return renderApiReference(document, links)
}

it('names the terms of use of the data, as a link if they are a page', () => {
  expect(pageWith('https://example.org/ä')).toContain('<a href="https://example.org/%C3%A4" rel="license">')
  expect(pageWith('CC BY 4.0')).toContain('Terms of use of the public data: CC BY 4.0.')
  expect(pageWith('javascript:alert(1)')).not.toContain('href="javascript:')
  expect(pageWith(undefined)).not.toContain('Terms of use of the public data')
})
