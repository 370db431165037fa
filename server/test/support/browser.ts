import { type Browser, chromium as playwright } from 'playwright-core'
import { browserOptions } from './browser-options.ts'
import { needs } from './tags.ts'

/** Starts the headless Chromium that comes inside its npm package: nothing has to be installed on the machine. */
export async function launchBrowser(): Promise<Browser> {
  needs('browser')
  return playwright.launch(await browserOptions())
}
