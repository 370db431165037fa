import { AxeBuilder } from '@axe-core/playwright'
import { HtmlValidate } from 'html-validate'
import type { Page } from 'playwright-core'

const validator = new HtmlValidate({
  root: true,
  extends: ['html-validate:recommended'],
  rules: {
    // The renderer closes void elements with `/>` and leaves `>` in text alone: both are valid HTML.
    'void-style': 'off',
    'no-raw-characters': ['error', { relaxed: true }],
    // A private link is hidden like a password, and is none that a browser should keep.
    'autocomplete-password': 'off',
  },
})

/** What is not valid in a document. */
export async function htmlFaults(html: string): Promise<unknown[]> {
  const { results } = await validator.validateString(html)
  return results.flatMap(({ messages }) =>
    messages.map(({ ruleId, message, line }) => [ruleId, message, line]),
  )
}

/** What keeps people from using the page that is open: what axe finds, and whether it is wider than the screen. */
export async function pageFaults(page: Page): Promise<unknown[]> {
  const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze()
  const faults: unknown[] = violations.map(({ id, nodes }) => [id, nodes.map(node => node.html)])
  const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
  if (overflow !== 0) faults.push(['is wider than the screen', overflow])
  return faults
}
