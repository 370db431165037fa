/** The process that makes an automatic backup. The settings arrive as a message, because they contain secrets. */

import { openMigrated } from '../../platform/db/open.ts'
import { Secret } from '../../platform/lib/secret.ts'
import { backUpToPlace } from '../backup/automatic.ts'
import type { BackUpMessage } from '../jobs/back-up.ts'

process.once('disconnect', () => process.exit())
process.once('message', async ({ settings, keys, s3 }: BackUpMessage) => {
  try {
    const { backup } = settings
    if (!backup) throw new Error('BACKUP_TO is not set')
    const secret = (text: string) => new Secret(Buffer.from(text))
    const store = await openMigrated(settings)
    try {
      const answer = await backUpToPlace(
        store,
        {
          ...settings,
          backup,
          serviceKeys: keys?.map(Secret.fromHex),
          s3: s3 && {
            ...s3,
            secretAccessKey: secret(s3.secretAccessKey),
            sessionToken: s3.sessionToken === undefined ? undefined : secret(s3.sessionToken),
          },
        },
        Date.now(),
      )
      process.send?.(answer)
    } finally {
      await store.close()
    }
  } catch (error) {
    process.send?.({ error: (error as Error).message })
  }
  process.disconnect()
})
