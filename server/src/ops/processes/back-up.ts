/** The process that makes an automatic backup. */

import { openMigrated } from '../../platform/db/open.ts'
import { answerParent } from '../../platform/lib/child-process.ts'
import { Secret } from '../../platform/lib/secret.ts'
import { backUpToPlace } from '../backup/automatic.ts'
import type { BackUpMessage } from '../jobs/back-up.ts'

const secret = (text: string) => new Secret(Buffer.from(text))

answerParent(async ({ settings, keys, s3 }: BackUpMessage) => {
  const { backup } = settings
  if (!backup) throw new Error('BACKUP_TO is not set')
  await using store = await openMigrated(settings)
  const revealed = {
    ...settings,
    backup,
    serviceKeys: keys?.map(Secret.fromHex),
    s3: s3 && {
      ...s3,
      secretAccessKey: secret(s3.secretAccessKey),
      sessionToken: s3.sessionToken === undefined ? undefined : secret(s3.sessionToken),
    },
  }
  return await backUpToPlace(store, revealed, Date.now())
})
