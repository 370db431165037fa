import { readFileSync } from 'node:fs'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { CACHE } from '../../platform/http/headers.ts'
import { CLIENT_PATH } from '../../platform/http/links.ts'
import { OPEN } from '../../platform/http/open-routes.ts'
import { Problem } from '../../platform/http/problem.ts'
import { sendPublic, tagged } from '../../platform/http/send.ts'
import { packageFile } from '../../platform/lib/package.ts'

/** A file of the client. The build packs it (`client/pack.ts`), so a service serves the client of its own version. */
export interface ClientFile {
  name: string
  sizeBytes: number
  /** As npm and browsers check it: `sha512-` and base64. */
  integrity: string
  /** As pip checks it, in hex. */
  sha256: string
}

const read = (name: string) => readFileSync(packageFile(`bundled/client/${name}`))

let files: readonly ClientFile[] | undefined

/** Returns every file of the client. Read when it is first needed, because the operator's commands need none. */
function clientFiles(): readonly ClientFile[] {
  files ??= JSON.parse(read('files.json').toString()).files as ClientFile[]
  return files
}

/** Returns the file whose name ends like this. @throws Error if the build has none */
export function clientFile(ending: string): ClientFile {
  const found = clientFiles().find(({ name }) => name.endsWith(ending))
  if (!found) throw new Error(`the build has no client that ends in ${ending}: npm run build`)
  return found
}

const MEDIA_TYPES: Record<string, string> = {
  tgz: 'application/gzip',
  whl: 'application/zip',
  py: 'text/x-python; charset=utf-8',
}

/** Adds the files of the client. Their addresses stay, so that a saved command continues to work after an upgrade. */
export async function clientFileRoutes(app: FastifyInstance): Promise<void> {
  const served = new Map(clientFiles().map(({ name }) => [name, tagged(read(name))]))
  app.get(`${CLIENT_PATH}:name`, OPEN, async (request: FastifyRequest<{ Params: { name: string } }>, reply) => {
    const { name } = request.params
    const sent = served.get(name)
    if (!sent) throw new Problem('not_found')
    const mediaType = MEDIA_TYPES[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream'
    return sendPublic(request, reply, sent, { cache: CACHE.text, tags: [], mediaType })
  })
  app.get(CLIENT_PATH.slice(0, -1), async (_request, reply) =>
    reply.header('cache-control', 'no-store').redirect(CLIENT_PATH, 308),
  )
}
