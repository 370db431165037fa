import type { Config } from '../config.ts'
import { misspeltSettings } from '../settings/misspelt.ts'
import { warningsAbout } from '../settings/warnings.ts'
import { type Look, ok, warning } from './finding.ts'

/** Looks at what is set on purpose, perhaps, and should not be forgotten. */
export const lookAtSettings = (config: Config): Look[] => [
  {
    about: 'settings',
    async look() {
      const { submissionsEndAt = Number.POSITIVE_INFINITY } = config
      const warnings = [
        ...misspeltSettings(process.env),
        ...warningsAbout(config),
        ...(submissionsEndAt <= Date.now()
          ? ['SUBMISSIONS_END_AT has passed: new submissions get 410. Unset it to open them again.']
          : []),
      ]
      return warnings.length > 0 ? warnings.map(warning) : ok('nothing to say')
    },
  },
]
