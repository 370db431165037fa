import { PUBLISH_PATH, QUOTE_PATH } from '@placard/contract'
import { compare, heading } from './compare.ts'
import { startPostgres } from './postgres.ts'
import { credentials, json, publishBody, quoteBody, WIDE_ENV } from './requests.ts'
import { startServer } from './server-process.ts'

/** Quote and replay on PostgreSQL, beside the same queries without the service around them. */
export async function postgresFigures(folder: string): Promise<void> {
  heading(
    'On PostgreSQL: rate of the service as a share of bare Fastify that runs the same query through bare pg',
  )
  const postgres = await startPostgres()
  const settings = await postgres.database('replies')
  const placard = await startServer('placard', [], { ...WIDE_ENV, ...settings, DATA_DIR: folder })
  const submission = credentials()
  const quote = post(QUOTE_PATH, json, quoteBody)
  const replay = post(PUBLISH_PATH, submission, publishBody('http://replayed.com'))
  const answer = async (request: ReturnType<typeof post>) =>
    (await fetch(placard.url + request.path, request)).text()
  const bare = await startServer('bare-postgres', [
    settings.DATABASE_URL,
    await answer(quote),
    await answer(replay),
    submission['idempotency-key'],
  ])
  try {
    for (const [name, request] of Object.entries({ quote, replay })) {
      await compare(
        `${name} / the same query through pg`,
        { ...request, server: placard },
        { ...request, server: bare },
        { atLeast: 0.6 },
      )
    }
  } finally {
    await Promise.all([placard.stop(), bare.stop()])
    await postgres.stop()
  }
}

const post = (path: string, headers: Record<string, string>, body: string) => ({
  method: 'POST' as const,
  path,
  headers,
  body,
  status: 200,
})
