import { chromium } from 'playwright-core'
import { browserOptions } from './server/test/support/browser-options.ts'
const b = await chromium.launch(await browserOptions())
const jobs = process.argv.slice(2).map(a => a.split('='))
for (const spec of jobs) {
  const [name, ...rest] = spec; const url = rest.join('=')
  for (const [w, scheme] of [[1280,'light'],[375,'dark'],[375,'light'],[1280,'dark']]) {
    if (process.env.ONLY && !process.env.ONLY.split(',').includes(`${w}${scheme}`)) continue
    const c = await b.newContext({ viewport: { width: w, height: 900 }, colorScheme: scheme })
    const p = await c.newPage(); await p.goto(url); await p.waitForTimeout(700)
    await p.screenshot({ path: `/tmp/lp-shots/${name}-${w}-${scheme}.png`, fullPage: true }); await c.close()
  }
}
await b.close()
