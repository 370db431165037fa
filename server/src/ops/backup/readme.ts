import { FULL_VERSION } from '../../platform/lib/package.ts'

/** The name of the file that says how to restore the backup that it is in. */
export const README = 'README.txt'

export interface Backup {
  at: string
  engine: string
  /** What to give `restore-backup`. Undefined if the folder may be anywhere. */
  address?: string | undefined
  /** None if the backup is not encrypted. */
  recipients: readonly string[]
  hasKey: boolean
}

/** Returns the steps that restore a backup on an empty machine, without other documents. It contains no secret. */
export function readmeOf({ at, engine, address, recipients, hasKey }: Backup): string {
  const isRemote = address?.startsWith('s3:')
  const isEncrypted = recipients.length > 0
  const put =
    engine === 'sqlite' ? 'put the file service.key into the new DATA_DIR (chmod 600)' : 'set SERVICE_KEY to it'
  const key = hasKey
    ? 'The service key is in this backup.'
    : `Get the service key, which is not in this backup: ${put}.`
  const database =
    engine === 'sqlite'
      ? 'Choose an empty folder for DATA_DIR, and leave DATABASE_URL unset: this is a backup of SQLite.'
      : 'Make an empty PostgreSQL database, and put its address into DATABASE_URL. Choose an empty folder for DATA_DIR.'
  const steps = [
    `Install Node.js 24 and Placard ${FULL_VERSION} or later.`,
    isRemote
      ? 'Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to a key that can read this bucket.'
      : 'Copy the folder with this file to that machine.',
    ...(isEncrypted
      ? [
          `Copy the file with the age identity there, as identity.txt. It belongs to the recipient ${recipients.join(' or ')}.`,
        ]
      : []),
    key,
    database,
    `Run:\n\n     DATA_DIR=/var/lib/placard ${engine === 'sqlite' ? '' : "DATABASE_URL='postgres://…' "}npx placard restore-backup '${address ?? 'FOLDER'}'${isEncrypted ? ' --identity identity.txt' : ''}`,
    'Copy the file log-checkpoint from the old DATA_DIR into the new one. If it is lost, and the site published after this backup, run npx placard log recover --new-log with the settings of the old site.',
    'Start Placard with the same DATA_DIR, DATABASE_URL and BASE_URL, and the other settings of the old site.',
    'If the site takes payments, run npx placard reconcile --from-stripe. It records the payments since this backup. docs/backup-and-upgrade.md says what else a restore loses.',
  ]
  return `This is a backup of a Placard site (https://github.com/placard/placard), made at ${at} by version ${FULL_VERSION}.

To restore it on an empty machine:

${steps.map((step, index) => `${index + 1}. ${step}`).join('\n')}

The command verifies the checksums first. A backup is complete only if it has ${isEncrypted ? 'manifest.json.age' : 'manifest.json'}.
${isEncrypted ? 'To open a single file with the program age: age -d -i identity.txt placard.db.age > placard.db\n' : ''}`
}
