/**
 * Makes the container image from the package that `npm run pack` wrote into the same folder, without Docker:
 *
 *   npm run pack -- FOLDER && npm run image -- FOLDER
 *
 * It writes an OCI archive with the image for amd64 and arm64, which skopeo, podman and `docker load` accept, and the
 * files for Docker Compose, which name the image by its digest. It runs on Linux with `dpkg-deb`, and downloads the
 * dependencies, Node.js and three packages of Debian.
 */
import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'

const root = join(import.meta.dirname, '..')
const deploy = join(root, 'deploy/container')
const { version, license, description } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const NAME = 'ghcr.io/placard/placard'
/** The newest Node.js 24 that npm has for both architectures. */
const NODE = '24.21.0'
/** The architectures by their names in OCI and Debian, with npm's. */
const ARCHITECTURES = { amd64: 'x64', arm64: 'arm64' }
/** Runs the service, with the id of `nonroot` in distroless images. */
const USER = '65532'
const CONFIG = {
  User: `${USER}:${USER}`,
  // All addresses inside the container. The published ports decide which addresses of the machine lead to it.
  Env: ['HOST=0.0.0.0', 'PORT=8080', 'DATA_DIR=/data', 'CACHE_DIRECTORY=/data/cache', 'PATH=/app/bin'],
  Entrypoint: ['/app/bin/placard', 'serve'],
  ExposedPorts: { '8080/tcp': {} },
  Volumes: { '/data': {} },
  // SQLite may write temporary files there.
  WorkingDir: '/data',
  StopSignal: 'SIGTERM',
  Healthcheck: { Test: ['CMD', '/app/bin/healthy'], Interval: 30e9, Timeout: 5e9, StartPeriod: 60e9 },
  Labels: {
    'org.opencontainers.image.title': 'Placard',
    'org.opencontainers.image.description': description,
    'org.opencontainers.image.source': 'https://github.com/placard/placard',
    'org.opencontainers.image.licenses': license,
    'org.opencontainers.image.version': version,
  },
}
/** The same bytes for the same files, on every machine. */
const TAR = ['--sort=name', '--mtime=@0', '--numeric-owner', '--format=gnu']

const folder = resolve(process.argv[2] ?? '')
const tarball = join(folder, `placard-${version}.tgz`)
if (!existsSync(tarball)) {
  console.error('Usage: npm run pack -- FOLDER && npm run image -- FOLDER')
  process.exit(2)
}
const work = mkdtempSync(join(tmpdir(), 'placard-image-'))
const archive = join(work, 'archive')
mkdirSync(join(archive, 'blobs/sha256'), { recursive: true })
try {
  const images = []
  for (const [architecture, cpu] of Object.entries(ARCHITECTURES)) images.push(await makeImage(architecture, cpu))
  const index = blob('application/vnd.oci.image.index.v1+json', {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.index.v1+json',
    manifests: images.map(each => each.descriptor),
  })
  const annotations = { 'org.opencontainers.image.ref.name': version, 'io.containerd.image.name': `${NAME}:${version}` }
  write('oci-layout', { imageLayoutVersion: '1.0.0' })
  write('index.json', { schemaVersion: 2, manifests: [{ ...index, annotations }] })
  // For `docker load` without the containerd image store, which keeps one architecture for each tag.
  write(
    'manifest.json',
    images.map(each => each.forDocker),
  )
  const file = join(folder, `placard-${version}-image.tar`)
  tar(file, archive, ['blobs', 'index.json', 'manifest.json', 'oci-layout'])
  packCompose(index.digest)
  console.log(`${NAME}:${version}@${index.digest}`)
} finally {
  rmSync(work, { recursive: true })
}

async function makeImage(architecture: string, cpu: string) {
  const base = join(work, architecture, 'base')
  const app = join(work, architecture, 'app')
  await layOutBase(base, architecture)
  layOutApp(app, cpu)
  const layers = [layer(base), layer(app)]
  const config = blob('application/vnd.oci.image.config.v1+json', {
    architecture,
    os: 'linux',
    config: CONFIG,
    rootfs: { type: 'layers', diff_ids: layers.map(each => each.diffId) },
  })
  const manifest = blob('application/vnd.oci.image.manifest.v1+json', {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    config,
    layers: layers.map(each => each.descriptor),
  })
  const pathOf = ({ digest }: Descriptor) => `blobs/${digest.replace(':', '/')}`
  return {
    descriptor: { ...manifest, platform: { architecture, os: 'linux' } },
    forDocker: {
      Config: pathOf(config),
      RepoTags: [`${NAME}:${version}-${architecture}`],
      Layers: layers.map(each => pathOf(each.descriptor)),
    },
  }
}

/** Lays out the C libraries, and a user. Node.js brings its own time zones and certificate authorities. */
async function layOutBase(to: string, architecture: string): Promise<void> {
  const unpacked = join(work, architecture, 'debian')
  mkdirSync(unpacked, { recursive: true })
  for (const line of JSON.parse(readFileSync(join(deploy, 'debian.json'), 'utf8')) as string[]) {
    const [path = '', sha256 = ''] = line.split(' ')
    if (!path.endsWith(`_${architecture}.deb`)) continue
    execFileSync('dpkg-deb', ['--extract', await downloaded(path, sha256), unpacked])
  }
  const wanted = globSync(['{,usr/}lib*/**/*.so*', 'usr/share/doc/*/copyright'], { cwd: unpacked })
  for (const path of wanted.filter(each => !each.includes('/gconv/'))) {
    const place = path.startsWith('usr/') ? path : `usr/${path}`
    mkdirSync(join(to, dirname(place)), { recursive: true })
    cpSync(join(unpacked, path), join(to, place), { verbatimSymlinks: true })
  }
  for (const name of ['lib', 'lib64']) if (existsSync(join(to, 'usr', name))) symlinkSync(`usr/${name}`, join(to, name))
  // A place for each of these: nothing can be created on a read-only root.
  for (const name of ['data', 'dev', 'etc', 'proc', 'sys', 'tmp']) mkdirSync(join(to, name))
  writeFileSync(
    join(to, 'etc/passwd'),
    `root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:${USER}:${USER}::/data:/sbin/nologin\n`,
  )
  writeFileSync(join(to, 'etc/group'), `root:x:0:\nnonroot:x:${USER}:\n`)
  writeFileSync(join(to, 'etc/nsswitch.conf'), 'passwd: files\nhosts: files dns\n')
}

/** Returns the path of a package of Debian, downloaded once and compared with its hash. */
async function downloaded(path: string, sha256: string): Promise<string> {
  const cache = join(root, 'node_modules/.cache/placard-image')
  const file = join(cache, sha256)
  if (existsSync(file)) return file
  // Debian's mirrors have only the newest version; the snapshots have all.
  for (const mirror of [
    'https://deb.debian.org/debian/',
    'https://snapshot.debian.org/archive/debian/20261123T000000Z/',
  ]) {
    const bytes = await fetch(mirror + path.replaceAll('+', '%2B')).then(reply =>
      reply.ok ? reply.bytes() : undefined,
    )
    if (bytes === undefined || hash('sha256', bytes) !== sha256) continue
    mkdirSync(cache, { recursive: true })
    writeFileSync(file, bytes)
    return file
  }
  throw new Error(`${path} with the hash in deploy/container/debian.json is on no mirror: update it there`)
}

/** Installs the package globally, with Node.js next to it, and leaves out what only builds and other platforms need. */
function layOutApp(to: string, cpu: string): void {
  const app = join(to, 'app')
  const platform = ['--os=linux', `--cpu=${cpu}`, '--libc=glibc']
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--silent', '--prefer-offline']
  npm(['install', '--global', '--omit=dev', '--prefix', app, ...platform, ...quiet, tarball])
  // npm's command needs a shell, or `env`.
  rmSync(join(app, 'bin'), { recursive: true })
  cpSync(join(deploy, 'bin'), join(app, 'bin'), { recursive: true })
  // Not installed: npm refuses what this machine cannot run.
  npm(['pack', `node-linux-${cpu}@${NODE}`, '--silent', '--prefer-offline', '--pack-destination', work])
  const packed = join(work, `node-linux-${cpu}-${NODE}.tgz`)
  execFileSync('tar', ['-xzf', packed, '-C', app, '--strip-components=1', 'package/bin/node'])
  const modules = join(app, 'lib/node_modules')
  const sbom = JSON.parse(readFileSync(join(modules, 'placard/sbom.json'), 'utf8'))
  sbom.components.push({
    'bom-ref': `node@${NODE}`,
    type: 'platform',
    name: 'node',
    version: NODE,
    purl: `pkg:npm/node-linux-${cpu}@${NODE}`,
  })
  writeFileSync(join(app, 'sbom.json'), JSON.stringify(sbom, null, 1))
  // Of its libraries in C, the base has the copyright files, and debian.json the versions.
  cpSync(join(app, 'sbom.json'), join(folder, `placard-${version}-sbom.json`))
  const unwanted = [
    '**/*.{ts,cts,mts,map,md,gyp,c,h,cc,cpp,hpp}',
    '**/better-sqlite3/{deps,src}',
    '**/.package-lock.json',
  ]
  const others = globSync('**/better-sqlite3/prebuilds/*', { cwd: modules }).filter(
    path => !path.endsWith(`/linux-${cpu}.node`),
  )
  for (const path of [...globSync(unwanted, { cwd: modules }), ...others]) {
    rmSync(join(modules, path), { recursive: true, force: true })
  }
  // Every user must be able to read what belongs to root in the image, whatever the umask was here.
  execFileSync('chmod', ['-R', 'u+w,a+rX', to])
}

function npm(args: string[]): void {
  execFileSync('npm', args, { stdio: ['ignore', 'ignore', 'inherit'] })
}

interface Descriptor {
  mediaType: string
  digest: string
  size: number
}

/** Stores the files of a folder as a layer. They belong to root, except for /data. */
function layer(from: string): { descriptor: Descriptor; diffId: string } {
  const file = join(work, 'layer.tar')
  const names = globSync('*', { cwd: from }).filter(name => name !== 'data')
  tar(file, from, names.sort())
  if (existsSync(join(from, 'data'))) {
    execFileSync('tar', ['-rf', file, '-C', from, ...TAR, `--owner=${USER}`, `--group=${USER}`, 'data'])
  }
  const bytes = readFileSync(file)
  return {
    descriptor: blob('application/vnd.oci.image.layer.v1.tar+gzip', gzipSync(bytes)),
    diffId: `sha256:${hash('sha256', bytes)}`,
  }
}

function tar(file: string, from: string, names: string[]): void {
  execFileSync('tar', ['-cf', file, '-C', from, ...TAR, '--owner=0', '--group=0', ...names])
}

function blob(mediaType: string, content: object | Buffer): Descriptor {
  const bytes = Buffer.isBuffer(content) ? content : Buffer.from(JSON.stringify(content))
  const sha256 = hash('sha256', bytes)
  writeFileSync(join(archive, 'blobs/sha256', sha256), bytes)
  return { mediaType, digest: `sha256:${sha256}`, size: bytes.length }
}

function write(name: string, content: object): void {
  writeFileSync(join(archive, name), JSON.stringify(content))
}

/** Packs the files for Compose, with the image of this version in place of the one that no registry has. */
function packCompose(digest: string): void {
  const compose = readFileSync(join(deploy, 'compose.yaml'), 'utf8')
  const named = compose.replace(`${NAME}@sha256:${'0'.repeat(64)}`, `${NAME}:${version}@${digest}`)
  if (named === compose) throw new Error(`compose.yaml does not name ${NAME} with a digest of zeros`)
  const to = join(work, 'compose')
  mkdirSync(to)
  writeFileSync(join(to, 'compose.yaml'), named)
  for (const name of ['Caddyfile', '.env.example']) cpSync(join(deploy, name), join(to, name))
  tar(join(work, 'compose.tar'), to, ['.env.example', 'Caddyfile', 'compose.yaml'])
  writeFileSync(join(folder, `placard-${version}-compose.tgz`), gzipSync(readFileSync(join(work, 'compose.tar'))))
}
