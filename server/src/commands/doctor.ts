import { configFrom } from '../config.ts'
import { examine } from '../doctor/examine.ts'
import { readEnv } from '../settings/settings.ts'
import type { Command } from './command.ts'

export const doctor: Command = {
  name: 'doctor',
  usage: '[--json]',
  does: 'look at the settings and the running service, and say what to do; exit code 1 if something failed',
  options: ['json'],
  async run({ json }) {
    const findings = await examine(configFrom(readEnv()))
    const isWell = findings.every(({ state }) => state !== 'failed')
    if (json) console.log(JSON.stringify({ ok: isWell, findings }))
    else
      for (const { state, about, says } of findings)
        console.log(`${state.padEnd(7)}  ${about.padEnd(8)}  ${says}`)
    if (!isWell) process.exitCode = 1
  },
}
