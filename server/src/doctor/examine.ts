import type { Config } from '../config.ts'
import { Links } from '../http/links.ts'
import { lookAtDatabase } from './database.ts'
import { type Finding, findingsOf } from './finding.ts'
import { lookAtMachine } from './machine.ts'
import { lookAtPayments } from './payments.ts'
import { lookAtService } from './service.ts'
import { lookAtSettings } from './settings.ts'

/** Looks at the settings and at the running service as its users do. Changes nothing. Never throws. */
export async function examine(config: Config): Promise<Finding[]> {
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
      ...database.looks,
      ...lookAtPayments(config, links),
      ...lookAtSettings(config),
    ])
  } finally {
    await database.close()
  }
}
