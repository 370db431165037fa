import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { HtmlValidate, type ResolvedConfig, StaticConfigLoader } from 'html-validate'
import type { Page } from 'playwright-core'
import { leavesOut } from './tags.ts'

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

/** What this worker found in documents, by their hashes: tests see many pages more than once. */
const found = new Map<string, unknown[]>()

/** What is not valid in a document. Nothing, in runs that leave accessibility out. */
export async function htmlFaults(html: string): Promise<unknown[]> {
  if (leavesOut('accessibility')) return []
  const key = hash('sha256', html)
  let faults = found.get(key)
  if (!faults) {
    const { results } = await validator.validateString(html)
    faults = results.flatMap(({ messages }) => messages.map(({ ruleId, message, line }) => [ruleId, message, line]))
    found.set(key, faults)
  }
  return faults
}

/**
 * What keeps people from using the open page: what axe finds on a phone and on a desktop, one of them in the light theme
 * and the other in the dark one, and whether the page is wider than the screen (the narrowest is 320 pixels: 1280 zoomed
 * four times), and what axe leaves to people. If SCREENSHOTS names a folder, screenshots go there.
 */
export async function pageFaults(page: Page, name: string): Promise<unknown[]> {
  const faults: unknown[] = []
  for (const width of [320, 375, 1280]) {
    await page.setViewportSize({ width, height: 800 })
    const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
    if (overflow !== 0) faults.push([name, 'is wider than a screen of', width, overflow])
    const spaced = await page.evaluate(WIDTH_IF_SPACED)
    if (spaced !== 0) faults.push([name, 'is wider if people space its text, at', width, spaced])
    if (width === 320) continue
    const [read, other] = themesAt(width, name)
    // Colours that change slowly would be looked at on their way.
    await page.emulateMedia({ colorScheme: read, reducedMotion: 'reduce' })
    faults.push(...(await violations(page)).map(fault => [`${name} at ${width} in ${read}`, ...fault]))
    const folder = process.env.SCREENSHOTS
    for (const colorScheme of folder ? [read, other] : []) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      const look = `${name} at ${width} in ${colorScheme}`
      await page.screenshot({ path: `${folder}/${look.replaceAll(/\W+/g, '-')}.png`, fullPage: true })
    }
  }
  faults.push(...(await leftToPeople(page)).map(fault => [name, ...fault]))
  return faults
}

/**
 * What axe leaves to people: a heading before that of the page, buttons that copy and have one name, empty lists and
 * navigation, and forms with much empty room at their end.
 */
const leftToPeople = (page: Page) =>
  page.evaluate(`(() => {
    const first = document.querySelector(':is(h1, h2, h3)')
    const names = [...document.querySelectorAll('[data-copy]')].map(button => (button.getAttribute('aria-labelledby') ?? '')
      .split(' ').map(id => document.getElementById(id)).reduce((name, part) => name + (part?.textContent ?? ''), '') ||
      button.textContent)
    return [
      ...(first && first.tagName !== 'H1' ? [['begins with', first.textContent]] : []),
      ...names.filter((each, nth) => names.indexOf(each) !== nth).map(each => ['has two buttons', each]),
      ...[...document.querySelectorAll(':is(ul, ol, dl, nav):empty')].filter(list => list.checkVisibility())
        .map(list => ['is empty', list.outerHTML]),
      ...[...document.forms].filter(form => form.checkVisibility() && 100 < form.getBoundingClientRect().bottom -
        Math.max(...[...form.querySelectorAll('*')].map(part => part.getBoundingClientRect().bottom)))
        .map(form => ['has empty room in a form', form.action]),
    ]
  })()`) as Promise<string[][]>

/**
 * The theme in which a page of this name is read at a width, and the other one. The themes differ in colours alone, so
 * one run for each is enough. What only one width shows is on many pages, and is read in both themes among them.
 */
const themesAt = (width: number, name: string) =>
  (width === 375) === (name.length % 2 === 0) ? (['light', 'dark'] as const) : (['dark', 'light'] as const)

/** By how much the page is wider than the screen with the text spacing of WCAG 1.4.12, which no page may rely on. */
const WIDTH_IF_SPACED = `(() => {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync('* { line-height: 1.5 !important; letter-spacing: .12em !important; ' +
    'word-spacing: .16em !important } p { margin-bottom: 2em !important }')
  document.adoptedStyleSheets.push(sheet)
  const overflow = document.documentElement.scrollWidth - innerWidth
  document.adoptedStyleSheets.pop()
  return overflow
})()`

/** The short form: the browser reads it again for each page. */
const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** Loads axe with each document that a page opens: sending it to each takes longer. For pages that are all inspected. */
export const loadAxeAhead = (page: Page) => page.addInitScript(AXE)

/** What axe finds wrong with the page as it is shown now. Nothing, in runs that leave accessibility out. */
async function violations(page: Page) {
  if (leavesOut('accessibility')) return []
  // The page keeps axe between runs. Loading it takes longer than a run.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(AXE)
  // Only rules about films and sounds need what is loaded ahead. The pages have neither, and it takes half of a run.
  return page.evaluate(`axe.run({ resultTypes: ['violations'], preload: false }).then(({ violations }) =>
    violations.map(({ id, nodes }) => [id, nodes.map(node => node.html)]))`) as Promise<
    [rule: string, html: string[]][]
  >
}
