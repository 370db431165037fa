import { PROOF_HEADER, SUBMISSIONS_PATH } from '@placard/contract/plain'
import { asPlacardError } from '../error.ts'
import { fetchBody } from '../service/exchange.ts'
import { type Shape, text } from '../service/shape.ts'
import { selectSubmission } from './choose.ts'
import type { DeliverOptions } from './deliver.ts'
import { submissionsOf } from './submission.ts'

/** Its first line. The library reads no more of it, because that takes Node; `verify receipt` does. */
const HEADER = 'c2sp.org/tlog-proof@v1\n'

const proofText: Shape<string> = Object.assign(
  (value: unknown) => (typeof value === 'string' && value.startsWith(HEADER) ? undefined : ''),
  { schema: text.schema },
)

/** See `PlacardClient.proof`. Throws `not_found` if the submission was not accepted. */
export async function readProof(destination: string | undefined, options: DeliverOptions): Promise<string> {
  const { key, secret } = selectSubmission(await submissionsOf(options), destination, options.store.name)
  const path = `${SUBMISSIONS_PATH}/${key}/proof`
  const headers = { [PROOF_HEADER]: secret.reveal() }
  try {
    // Right after the publish, it may take two seconds.
    return await fetchBody({ method: 'GET', path, headers, as: 'text' }, proofText, options)
  } catch (thrown) {
    const error = asPlacardError(thrown, 'unknown')
    if (error.code !== 'not_found') throw error
    throw error.with({ whatNext: 'Only an accepted submission has a proof. For its state, run placard-agent status.' })
  }
}
