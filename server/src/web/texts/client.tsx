import { CLIENT_PATH, CLIENT_TARBALL, type Links } from '../../platform/http/links.ts'
import { VERSION } from '../../platform/lib/package.ts'
import { CopyButton, Fact } from '../ui/elements.tsx'
import { type ClientFile, clientFile } from './client-files.ts'
import { renderText } from './text-page.tsx'

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
      <Line id="npx" label="Command">{`npx -y ${links.client} publish ${SAMPLE} --category "${CATEGORY}"`}</Line>
      <Line id="mcp" label="MCP server">{`npx -y ${links.client} mcp`}</Line>
      <Line id="npm" label="Library">{`npm install ${links.client}`}</Line>
      {links.clientPackage && (
        <p>
          npm has the same version as <code>{links.clientPackage}</code>.
        </p>
      )}
      <p>
        npx keeps what it downloaded. It continues to work after an upgrade of this site. To get the new version, delete
        the folder <code>_npx</code> in npm’s cache.
      </p>
      <h2 id="python">With Python 3.9</h2>
      <p>
        One file without dependencies: a command with the same words, and a library. Both clients can use one journal.
      </p>
      <Line id="file" label="One file">{`curl -O ${links.base}${CLIENT_PATH}placard_agent.py
python3 placard_agent.py publish ${SAMPLE} --category "${CATEGORY}" --service ${links.base}`}</Line>
      <Line
        id="uvx"
        label="uv"
      >{`uvx --from ${links.base}${CLIENT_PATH}${clientFile('.whl').name} placard-agent publish ${SAMPLE} --category "${CATEGORY}" --service ${links.base}`}</Line>
      <h2 id="files">Files</h2>
      <p>Version {VERSION}. The same source gives the same bytes.</p>
      {[CLIENT_TARBALL, '.py', '.whl'].map(clientFile).map(file => (
        <File file={file} key={file.name} />
      ))}
    </>,
  )

const SAMPLE = 'https://your-website.com/'
const CATEGORY = 'Design'

const Line = ({ id, label, children }: { id: string; label: string; children: string }) => (
  <>
    <div class="bar">
      <h3>{label}</h3>
      <CopyButton source={id} label="Copy" />
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
