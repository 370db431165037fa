import '../server/dist/node-version.js'
import { main } from './figures.ts'

await main(process.argv.slice(2))
