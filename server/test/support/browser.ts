import chromium from '@sparticuz/chromium'
import { type Browser, chromium as playwright } from 'playwright-core'
import { needs } from './tags.ts'

// WebGL is not needed, and leaving it out starts the browser faster.
chromium.setGraphicsMode = false

/** The package targets tiny cloud functions: these flags save memory, but disable web rules that our tests rely on. */
const UNWANTED = [
  '--single-process',
  '--disable-web-security',
  '--allow-running-insecure-content',
  '--disable-site-isolation-trials',
]

/** Starts the headless Chromium that comes inside its npm package: nothing has to be installed on the machine. */
export async function launchBrowser(): Promise<Browser> {
  needs('browser')
  return playwright.launch({
    executablePath: await chromium.executablePath(),
    args: chromium.args.filter(arg => !UNWANTED.includes(arg) && !arg.startsWith('--disable-features=')),
    headless: true,
  })
}
