import { hash } from 'node:crypto'
import {
  type Cosigner,
  EMPTY_ROOT,
  fromBase64,
  isConsistent,
  joinNote,
  openNote,
  parseCheckpoint,
  parseCount,
  parseVerifierKey,
  splitNote,
} from '@placard/contract/log'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../../platform/config/config.ts'
import type { Db, Store, Trx } from '../../platform/db/store.ts'
import type { SiteParts } from '../../platform/http/links.ts'
import { Problem } from '../../platform/http/problem.ts'
import type { Secret } from '../../platform/lib/secret.ts'
import { logCosigners, signingSeeds, witnessName } from './signing-keys.ts'

interface WitnessDependencies extends SiteParts {
  config: Pick<Config, 'log'>
  /** Newest first. */
  serviceKeys: readonly Secret[]
}

/** 63 hashes and a checkpoint with 16 signatures, even of the longest kind. */
const REQUEST_MAX_BYTES = 100 * 1024
const PROOF_LINES_MAX = 63
const HASH_BYTES = 32
const TEXT = 'text/plain; charset=utf-8'

/**
 * Adds POST /witness/add-checkpoint and GET /witness/{hash}/checkpoint, by C2SP's `tlog-witness`, for the logs of
 * `WITNESS_FOR`. By a cosignature, this site says that it has seen no other version of that log.
 */
export async function witnessRoutes(app: FastifyInstance, deps: WitnessDependencies): Promise<void> {
  const { config, links, store, clock } = deps
  const vkeysOf = Map.groupBy(config.log.witnessFor, vkey => parseVerifierKey(vkey).name)
  if (vkeysOf.size === 0) return
  const seeds = signingSeeds(config.log, deps.serviceKeys)
  await app.register(async context => {
    // A note is text, whatever its media type.
    context.removeAllContentTypeParsers()
    context.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body))
    context.post<{ Body: string | undefined }>(
      '/witness/add-checkpoint',
      { bodyLimit: REQUEST_MAX_BYTES },
      async (request, reply) => {
        const cosigners = logCosigners(seeds, witnessName(links.base))
        const answer = await addCheckpoint(store, { body: request.body ?? '', vkeysOf, cosigners, now: clock() })
        const [status, text, type = TEXT] = answer
        return reply.code(status).header('cache-control', 'no-store').type(type).send(`${text.trimEnd()}\n`)
      },
    )
    context.get<{ Params: { hash: string } }>('/witness/:hash/checkpoint', async (request, reply) => {
      const origin = [...vkeysOf.keys()].find(each => hash('sha256', each) === request.params.hash)
      const seen = origin === undefined ? undefined : await lastSeen(store.db, origin)
      if (!seen) throw new Problem('not_found')
      return reply.header('cache-control', 'public, max-age=10').type(TEXT).send(seen.note)
    })
  })
}

type Answer = [status: number, text: string, type?: string]

interface CosignRequest {
  body: string
  /** Verifier keys of the known logs, by their names. */
  vkeysOf: ReadonlyMap<string, readonly string[]>
  cosigners: readonly Cosigner[]
  now: number
}

/** Cosigns a checkpoint, if it is consistent with the last one of its log that was cosigned. */
async function addCheckpoint(store: Store, { body, vkeysOf, cosigners, now }: CosignRequest): Promise<Answer> {
  const asked = readRequest(body)
  if (!asked) return [400, 'The body is not an old size, a proof, an empty line and a checkpoint.']
  const { oldSize, proof, note, origin, size, root } = asked
  const vkeys = vkeysOf.get(origin)
  if (!vkeys) return [404, 'This witness does not know the log.']
  if (!isSignedBy(note, vkeys)) return [403, 'The checkpoint has no valid signature by a known key of its log.']
  if (oldSize > size) return [400, 'The old size is larger than the checkpoint.']
  return store.transact(async trx => {
    const seen = await lastSeen(trx, origin)
    if ((seen?.size ?? 0) !== oldSize) return conflict(seen?.size)
    const oldRoot = seen && oldSize > 0 ? Buffer.from(seen.root, 'base64') : EMPTY_ROOT
    if (!isConsistent({ oldSize, oldRoot, size, root, proof })) {
      return [422, 'The proof does not lead from the last cosigned checkpoint to this one.']
    }
    const { text, lines } = splitNote(note)
    const cosignatures = cosigners.map(cosigner => cosigner.cosign(text, Math.floor(now / 1000)))
    const own = vkeys.flatMap(vkey => lines.find(({ line }) => isSignedBy(joinNote(text, [line]), [vkey]))?.line ?? [])
    const next = { size, root: root.toString('base64'), note: joinNote(text, [...own, ...cosignatures]), at: now }
    if (await replace(trx, origin, seen, next)) return [200, cosignatures.join('')]
    return conflict((await lastSeen(trx, origin))?.size)
  })
}

const conflict = (size = 0): Answer => [409, String(size), 'text/x.tlog.size']

/** @returns undefined if the body is malformed */
function readRequest(body: string) {
  const end = body.indexOf('\n\n')
  const [first = '', ...proofLines] = body.slice(0, Math.max(0, end)).split('\n')
  const oldSize = first.startsWith('old ') ? parseCount(first.slice('old '.length)) : undefined
  const proof = proofLines.flatMap(line => fromBase64(line) ?? [])
  const isProof = proof.length === proofLines.length && proof.every(({ length }) => length === HASH_BYTES)
  if (oldSize === undefined || !isProof || proof.length > PROOF_LINES_MAX) return undefined
  const note = body.slice(end + 2)
  try {
    return { oldSize, proof, note, ...parseCheckpoint(splitNote(note).text) }
  } catch {
    return undefined
  }
}

function isSignedBy(note: string, vkeys: readonly string[]): boolean {
  try {
    return openNote(note, vkeys).signatures.length > 0
  } catch {
    return false
  }
}

const lastSeen = (db: Db, origin: string) =>
  db.selectFrom('witnessed_log').selectAll().where('origin', '=', origin).executeTakeFirst()

type Row = NonNullable<Awaited<ReturnType<typeof lastSeen>>>

/** Replaces what was read. @returns false if another request was faster: two trees must never be cosigned */
async function replace(trx: Trx, origin: string, seen: Row | undefined, next: Omit<Row, 'origin'>): Promise<boolean> {
  const stored = seen
    ? await trx
        .updateTable('witnessed_log')
        .set(next)
        .where('origin', '=', origin)
        .where('size', '=', seen.size)
        .where('root', '=', seen.root)
        .returning('origin')
        .execute()
    : await trx
        .insertInto('witnessed_log')
        .values({ origin, ...next })
        .onConflict(conflict => conflict.column('origin').doNothing())
        .returning('origin')
        .execute()
  return stored.length > 0
}
