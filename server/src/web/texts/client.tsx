import { readFileSync } from 'node:fs'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { CACHE } from '../../platform/http/headers.ts'
import { CLIENT_PATH, CLIENT_TARBALL, type Links } from '../../platform/http/links.ts'
import { OPEN } from '../../platform/http/open-routes.ts'
import { Problem } from '../../platform/http/problem.ts'
import { sendPublic, tagged } from '../../platform/http/send.ts'
import { packageFile, VERSION } from '../../platform/lib/package.ts'
import { CopyButton, Fact } from '../ui/elements.tsx'
import { renderText } from './text-page.tsx'

/** A file of the client. The build packs it (`client/pack.ts`), so a service serves the client of its own version. */
interface ClientFile {
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
export function clientFileRoutes(app: FastifyInstance): void {
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

/** The page of the client that this site serves: how to run each file, and how to check it. */
export const renderClient = (links: Links): string =>
  renderText(
    {
      links,
      title: 'Client',
      description:
        'The client that this site serves, for Node and Python: how to run it, and how to check what you got.',
      path: CLIENT_PATH,
      scripts: ['copy.js'],
      lead: 'A command that lists a website and never loses its receipt. This site serves the version that fits it.',
      isNumbered: false,
    },
    <>
      <p>
        It saves key, secret and body before it sends anything, and it never prints a secret. It needs no package from a
        registry.
      </p>
      <h2 id="node">With Node.js 22</h2>
      <p>It is a command, a library, and an MCP server that publishes after asking you.</p>
      <Line
        id="npx"
        label="Command"
        copy="Copy command"
      >{`npx -y ${links.client} publish ${SAMPLE} --category "${CATEGORY}"`}</Line>
      <Line id="mcp" label="MCP server" copy="Copy MCP command">{`npx -y ${links.client} mcp`}</Line>
      <Line id="npm" label="Library" copy="Copy install command">{`npm install ${links.client}`}</Line>
      {links.clientPackage && (
        <p>
          npm has the same version as <code>{links.clientPackage}</code>.
        </p>
      )}
      <p>
        npx caches the client, and the cached client continues to work after an upgrade of this site. To get the new
        version, delete the folder <code>_npx</code> in npm’s cache.
      </p>
      <h2 id="python">With Python 3.9</h2>
      <p>
        One file without dependencies: a command with the same words, and a library. Both clients can use one journal.
      </p>
      <Line id="file" label="One file" copy="Copy commands">{`curl -O ${links.base}${CLIENT_PATH}placard_agent.py
python3 placard_agent.py publish ${SAMPLE} --category "${CATEGORY}" --service ${links.base}`}</Line>
      <Line
        id="uvx"
        label="uv"
        copy="Copy uv command"
      >{`uvx --from ${links.base}${CLIENT_PATH}${clientFile('.whl').name} placard-agent publish ${SAMPLE} --category "${CATEGORY}" --service ${links.base}`}</Line>
      <h2 id="files">Files</h2>
      <p>Version {VERSION}. Builds of the same source are identical, byte for byte.</p>
      {[CLIENT_TARBALL, '.py', '.whl'].map(clientFile).map(file => (
        <File file={file} key={file.name} />
      ))}
    </>,
  )

const SAMPLE = 'https://your-website.com/'
const CATEGORY = 'Design'

const Line = ({ id, label, copy, children }: { id: string; label: string; copy: string; children: string }) => (
  <>
    <div class="bar">
      <h3>{label}</h3>
      <CopyButton source={id} label={copy} />
    </div>
    <pre class="prompt" id={id}>
      {children}
    </pre>
  </>
)

const File = ({ file: { name, sizeBytes, integrity, sha256 } }: { file: ClientFile }) => (
  <section>
    <h3>
      <a href={CLIENT_PATH + name}>{name}</a>
    </h3>
    <dl class="record">
      <Fact name="Size">{Math.ceil(sizeBytes / 1000)} kB</Fact>
      <Fact name="Integrity">
        <code>{integrity}</code>
      </Fact>
      <Fact name="SHA-256">
        <code>{sha256}</code>
      </Fact>
    </dl>
  </section>
)
