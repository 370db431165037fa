import { type Config, configFrom } from '../../platform/config/config.ts'
import { readEnv } from '../../platform/config/settings.ts'
import { checkDatabase } from '../doctor/database.ts'
import { type Finding, findingsOf } from '../doctor/finding.ts'
import { checkBlocklists, checkMachine, checkSettings } from '../doctor/machine.ts'
import { checkNotifications } from '../doctor/notifications.ts'
import { checkPayments, checkService } from '../doctor/service.ts'
import type { Command } from './command.ts'
import { linksOf, refuseNoDatabase } from './with-store.ts'

export const doctor: Command = {
  name: 'doctor',
  does: 'check the settings and the running service, and say what to fix; exit code 1 if a check failed',
  async run({ json }) {
    const findings = await examine(configFrom(readEnv()))
    const isWell = findings.every(({ state }) => state !== 'failed')
    if (json) console.log(JSON.stringify({ ok: isWell, findings }))
    else for (const { state, about, says } of findings) console.log(`${state.padEnd(7)}  ${about.padEnd(11)}  ${says}`)
    if (!isWell) process.exitCode = 1
  },
}

/** Checks the settings, and the running service from outside. Changes nothing, and never throws. */
async function examine(config: Config): Promise<Finding[]> {
  const links = linksOf(config)
  const opened = async () => {
    refuseNoDatabase(config)
    return checkDatabase(config, links)
  }
  const database = await opened().catch(error => ({
    checks: [{ about: 'database', run: () => Promise.reject(error) }],
    close: async () => {},
  }))
  try {
    return await findingsOf([
      // First what others need: without DNS, no reviewer answers, and without its database, no service is ready.
      ...checkMachine(config),
      ...database.checks,
      ...checkService(config, links),
      ...checkBlocklists(config),
      ...checkNotifications(config, links),
      ...checkPayments(config, links),
      ...checkSettings(config),
    ])
  } finally {
    await database.close()
  }
}
