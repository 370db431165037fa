// Upgrades databases, each until one of its migrations has done its work. Then it stands still, to be killed.
import { MIGRATIONS } from '../../../src/platform/db/migrations/index.ts'
import { openStore, type StoreSettings } from '../../../src/platform/db/open.ts'

/** By the name of the migration. */
const upgrades = JSON.parse(process.argv[2] ?? '') as Record<string, StoreSettings>

for (const [name, settings] of Object.entries(upgrades)) {
  const { up } = MIGRATIONS[name] ?? {}
  if (!up) throw new Error(`there is no migration ${name}`)
  const standing = {
    ...MIGRATIONS[name],
    async up(...args: Parameters<typeof up>) {
      await up(...args)
      console.log(name)
      await new Promise(() => setInterval(() => {}, 1000))
    },
  }
  void openStore({ ...settings, migrations: { ...MIGRATIONS, [name]: standing } })
}
