import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { HtmlValidate, type ResolvedConfig, StaticConfigLoader } from 'html-validate'
import type { Page } from 'playwright-core'

/** Resolves the one configuration once: to do so for each page takes half of the time. */
class OneConfig extends StaticConfigLoader {
  #config: ResolvedConfig | undefined
  override getConfigFor(): ResolvedConfig {
    this.#config ??= super.getConfigFor('') as ResolvedConfig
    return this.#config
  }
}

const validator = new HtmlValidate(
  new OneConfig({
    root: true,
    extends: ['html-validate:recommended'],
    rules: {
      // The renderer closes void elements with `/>` and leaves `>` in text alone: both are valid HTML.
      'void-style': 'off',
      'no-raw-characters': ['error', { relaxed: true }],
      // A private link is hidden like a password, but no browser should store it.
      'autocomplete-password': 'off',
    },
  }),
)

/** What is not valid in a document. */
export async function htmlFaults(html: string): Promise<unknown[]> {
  const { results } = await validator.validateString(html)
  return results.flatMap(({ messages }) => messages.map(({ ruleId, message, line }) => [ruleId, message, line]))
}

/**
 * What keeps people from using the open page, on a phone and a desktop, in light and dark: what axe finds, and whether
 * it is wider than the screen (the narrowest is 320 pixels: 1280 zoomed four times). If SCREENSHOTS names a folder,
 * screenshots go there.
 */
export async function pageFaults(page: Page, name: string): Promise<unknown[]> {
  const faults: unknown[] = []
  for (const width of [320, 375, 1280]) {
    await page.setViewportSize({ width, height: 800 })
    const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
    if (overflow !== 0) faults.push([name, 'is wider than a screen of', width, overflow])
    if (width === 320) continue
    // The themes differ in colours alone, so the dark one is read on the phone only.
    for (const colorScheme of width === 375 ? (['light', 'dark'] as const) : (['light'] as const)) {
      // Colours that change slowly would be looked at on their way.
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      const look = `${name} at ${width} in ${colorScheme}`
      const found = await violations(page, colorScheme === 'dark' ? COLOUR_RULES : undefined)
      faults.push(...found.map(fault => [look, ...fault]))
      const folder = process.env.SCREENSHOTS
      if (folder) await page.screenshot({ path: `${folder}/${look.replaceAll(/\W+/g, '-')}.png`, fullPage: true })
    }
  }
  return faults
}

/** The rules whose outcome can differ between the themes, which differ in colours alone. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block']

/** The short form: the browser reads it again for each page. */
const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** What axe finds wrong with the page as it is shown now, by these rules, or by every rule that axe has on. */
async function violations(page: Page, rules?: string[]) {
  // The page keeps axe between runs. Loading it takes longer than a run.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(AXE)
  // Only rules about films and sounds need what is loaded ahead. The pages have neither, and it takes half of a run.
  const options = { resultTypes: ['violations'], preload: false, ...(rules && { runOnly: rules }) }
  return page.evaluate(`axe.run(${JSON.stringify(options)}).then(({ violations }) =>
    violations.map(({ id, nodes }) => [id, nodes.map(node => node.html)]))`) as Promise<
    [rule: string, html: string[]][]
  >
}
