import { type Config, configFrom } from '../../platform/config/config.ts'
import { readEnv } from '../../platform/config/settings.ts'
import { Links } from '../../platform/http/links.ts'
import { lookAtDatabase } from '../doctor/database.ts'
import { type Finding, findingsOf } from '../doctor/finding.ts'
import { lookAtBlocklists, lookAtMachine, lookAtSettings } from '../doctor/machine.ts'
import { lookAtPayments } from '../doctor/payments.ts'
import { lookAtService } from '../doctor/service.ts'
import type { Command } from './command.ts'

export const doctor: Command = {
  name: 'doctor',
  usage: '[--json]',
  does: 'check the settings and the running service, and say what to fix; exit code 1 if a check failed',
  options: ['json'],
  async run({ json }) {
    const findings = await examine(configFrom(readEnv()))
    const isWell = findings.every(({ state }) => state !== 'failed')
    if (json) console.log(JSON.stringify({ ok: isWell, findings }))
    else for (const { state, about, says } of findings) console.log(`${state.padEnd(7)}  ${about.padEnd(8)}  ${says}`)
    if (!isWell) process.exitCode = 1
  },
}

/** Checks the settings, and the running service from outside. Changes nothing, and never throws. */
async function examine(config: Config): Promise<Finding[]> {
  const links = new Links(config)
  links.listeningOn(config.host, config.port)
  const database = await lookAtDatabase(config).catch(error => ({
    looks: [{ about: 'database', look: () => Promise.reject(error) }],
    close: async () => {},
  }))
  try {
    return await findingsOf([
      ...lookAtService(config, links),
      ...lookAtMachine(config),
      ...lookAtBlocklists(config),
      ...database.looks,
      ...lookAtPayments(config, links),
      ...lookAtSettings(config),
    ])
  } finally {
    await database.close()
  }
}
