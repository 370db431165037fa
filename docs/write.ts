import { writeFileSync } from 'node:fs'
import { PAGES } from './pages.ts'

for (const [name, text] of Object.entries(PAGES)) writeFileSync(new URL(name, import.meta.url), text)
