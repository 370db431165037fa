import { type Browser, type BrowserContext, type Page, chromium as playwright } from 'playwright-core'
import { browserOptions } from './browser-options.ts'
import { needs } from './tags.ts'

/** Shorter than a test may take, so that the error says what did not happen. */
const TIMEOUT_MS = 240_000

/** One for all test files of a worker, because a start takes a second of CPU. It ends with the worker's process. */
let shared: Promise<Browser> | undefined

/**
 * The headless Chromium that comes inside its npm package: nothing has to be installed on the machine. Closing it closes
 * only the contexts and pages that were opened through it.
 */
export async function launchBrowser(): Promise<Browser> {
  needs('browser')
  // Vitest ends its workers by SIGTERM, which must not wait for the browser. The browser ends when its pipe breaks.
  shared ??= playwright.launch({ ...browserOptions(), handleSIGTERM: false })
  const opened = new Set<BrowserContext>()
  return new Proxy(await shared, {
    get(browser, name) {
      if (name === 'newContext') {
        return async (...options: Parameters<Browser['newContext']>) => {
          const context = await browser.newContext(...options)
          context.setDefaultTimeout(TIMEOUT_MS)
          opened.add(context)
          return context
        }
      }
      if (name === 'newPage') {
        return async (...options: Parameters<Browser['newPage']>) => {
          const page = await browser.newPage(...options)
          page.context().setDefaultTimeout(TIMEOUT_MS)
          opened.add(page.context())
          return page
        }
      }
      if (name === 'contexts') return () => [...opened]
      if (name === 'close') return () => Promise.all([...opened].map(context => context.close()))
      const value = Reflect.get(browser, name, browser)
      return typeof value === 'function' ? value.bind(browser) : value
    },
  })
}

/** Notes what no page may do: break a rule of its content security policy, or throw in a script. */
export function noteComplaints(page: Page, complaints: unknown[]): void {
  page.on('console', message => {
    if (/content security policy/i.test(message.text())) complaints.push(message.text())
  })
  page.on('pageerror', error => complaints.push(String(error)))
}
