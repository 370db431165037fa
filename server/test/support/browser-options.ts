import chromium from '@sparticuz/chromium'
import type { LaunchOptions } from 'playwright-core'
import { inject } from 'vitest'

// WebGL is not needed, and leaving it out starts the browser faster.
chromium.setGraphicsMode = false

/**
 * Its package is made for tiny functions: these save memory, and give up rules of the web that our tests rely on. Without
 * a zygote, which forks them, the processes of contexts take a quarter more of the browser's CPU.
 */
const UNWANTED = [
  '--single-process',
  '--no-zygote',
  '--disable-web-security',
  '--allow-running-insecure-content',
  '--disable-site-isolation-trials',
]

/** To start a process for each page takes a fifth of the browser's CPU. Contexts still have processes of their own. */
const ONE_PROCESS_PER_CONTEXT = '--renderer-process-limit=1'

/** Pages live too briefly for optimised code to pay: compiling it takes a quarter of what axe takes in all. */
const NO_OPTIMISED_CODE = '--js-flags=--no-opt --no-maglev'

/** How the headless Chromium inside its npm package is started. It paints in software. */
export const browserOptions = (): LaunchOptions => ({
  executablePath: inject('chromiumPath'),
  args: [
    ...chromium.args.filter(arg => !UNWANTED.includes(arg) && !arg.startsWith('--disable-features=')),
    ONE_PROCESS_PER_CONTEXT,
    NO_OPTIMISED_CODE,
  ],
  headless: true,
})
