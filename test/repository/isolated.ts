import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Who runs the service in the image. */
const USER = '65532'
/** What every container has of the machine's devices. */
const DEVICES = ['null', 'zero', 'random', 'urandom']
/** Mounts of its own, in which everything but /data is read-only, and no process but its own is seen. */
const ENTER = `set -e
mount --make-rprivate /
mount --bind "$ROOT" "$ROOT"
mount --bind "$DATA" "$ROOT/data"
for device in ${DEVICES.join(' ')}; do mount --bind "/dev/$device" "$ROOT/dev/$device"; done
mount -t proc -o subset=pid,hidepid=invisible proc "$ROOT/proc"
mount -o remount,bind,ro "$ROOT"
exec env -i "$@"`

/** Whether this process may make namespaces and mount in them. If not, it says so. */
export function mayIsolate(instead = 'NOT ISOLATED: the image is tried as an ordinary process'): boolean {
  const tried = ['--mount', '--pid', '--fork', 'mount', '--make-rprivate', '/']
  const { status, stderr, error } = spawnSync('unshare', tried, { encoding: 'utf8' })
  if (status === 0) return true
  console.warn(
    `\n${instead}, for this machine allows no namespaces (${error?.message ?? stderr.trim()}). Run this test as root.\n`,
  )
  return false
}

export interface Isolated {
  child: ChildProcess
  output(): string
  /** Runs another program in the same place, as `docker exec` does. */
  execute(...command: string[]): { status: number | null; output: string }
  /** @returns the exit code, or the signal that ended it */
  end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals | null>
  remove(): void
}

interface Options {
  /** The unpacked image. */
  root: string
  command: string[]
  env: Record<string, string>
  /** If not, only the environment is, and the working directory. */
  isIsolated: boolean
}

/** Runs a command where nothing is but the unpacked image and an empty /data. */
export function runIsolated({ root, command, env, isIsolated }: Options): Isolated {
  const place = mkdtempSync(join(tmpdir(), 'placard-isolated-'))
  const data = join(place, 'data')
  mkdirSync(data)
  if (isIsolated) {
    execFileSync('chown', [`${USER}:${USER}`, data])
    for (const device of DEVICES) writeFileSync(join(root, 'dev', device), '')
  }
  // After the change of root, there is no PATH to look for them.
  const [setpriv = '', unshare = ''] = pathsOf('setpriv', 'unshare')
  const as = [`--setgid=${USER}`, `--setuid=${USER}`]
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`)
  const inside = [setpriv, '--no-new-privs', unshare, `--root=${root}`, '--wd=/data', ...as, ...command]
  const node = join(root, 'app/bin/node')
  /** Its programs name Node by its place in the image. */
  const here = ([program = '', ...words]: string[]) =>
    program === '/app/bin/node' ? words : [join(root, program), ...words]
  const child = isIsolated
    ? spawn(unshare, ['--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', ENTER, 'sh', ...variables, ...inside], {
        env: { PATH: process.env.PATH, ROOT: root, DATA: data },
      })
    : spawn(node, here(command), { cwd: data, env: { ...env, DATA_DIR: data } })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', chunk => {
      output += chunk
    })
  }
  const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>
  /** The process itself; `unshare` only waits for it. */
  const pid = () =>
    isIsolated ? Number(readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')) : (child.pid ?? 0)
  return {
    child,
    output: () => output,
    execute(...other) {
      const entered = ['--target', String(pid()), '--mount', '--pid', '--root', '--wd', ...as]
      const { status, stdout, stderr } = isIsolated
        ? spawnSync('nsenter', [...entered, ...other], { env: { ...env, PATH: process.env.PATH } })
        : spawnSync(node, here(other), { cwd: data, env: { ...env, DATA_DIR: data } })
      return { status, output: `${stdout}${stderr}` }
    },
    async end(signal) {
      process.kill(pid(), signal)
      const [code, by] = await ended
      return code ?? by
    },
    remove() {
      child.kill('SIGKILL')
      rmSync(place, { recursive: true, force: true })
    },
  }
}

const pathsOf = (...names: string[]) =>
  names.map(name => spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).stdout.trim())
