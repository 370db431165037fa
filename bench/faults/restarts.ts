import { join } from 'node:path'
import { QUOTE_PATH } from '@placard/contract'
import { freePort } from '../../server/test/support/free-port.ts'
import { isInstalled } from '../../server/test/support/proxies.ts'
import { restartBehindNginx } from '../../server/test/support/restarts.ts'
import { quoteBody, WIDE_ENV } from '../requests.ts'
import { startWhole } from '../whole-service.ts'
import type { Outcome } from './outcome.ts'

const RESTARTS = 20
/** The default, in seconds. */
const STOP_DELAY = '3'

/** Restarts two instances in turn behind nginx while clients post. */
export async function restarts(folder: string): Promise<Outcome> {
  if (!isInstalled('nginx')) {
    return { figures: 'not tried', faults: ['nginx is not installed: apt-get install nginx-light'] }
  }
  const instanceOf = async (port: number) => {
    const start = () =>
      startWhole({ ...WIDE_ENV, STOP_DELAY, DATA_DIR: join(folder, 'data'), PORT: String(port) })
    let service = await start()
    const stop = () => service.stop()
    const restart = async () => {
      await stop()
      service = await start()
    }
    return { port, stop, restart }
  }
  const [one, other] = [await instanceOf(await freePort()), await instanceOf(await freePort())]
  try {
    const statuses = await restartBehindNginx([one, other], RESTARTS, { path: QUOTE_PATH, body: quoteBody })
    const { 200: answered = 0, ...rest } = statuses
    return {
      figures: `${answered} posts answered during ${RESTARTS} restarts`,
      faults: Object.entries(rest).map(([status, count]) => `${count} × ${status}`),
    }
  } finally {
    await Promise.all([one.stop(), other.stop()])
  }
}
