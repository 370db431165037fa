import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const project = fileURLToPath(new URL('../..', import.meta.url))
const execute = promisify(execFile)

/**
 * A copy of this machine whose changes are lost at its end: an overlay over its disk. Of this project, of the homes and
 * of what is installed beside Debian's packages, it shows nothing but Node.js, npm, and the given folder as /mnt.
 */
const ENTER = `set -e
mount --make-rprivate /
mount -t tmpfs tmpfs "$PLACE"
mkdir "$PLACE/upper" "$PLACE/work" "$PLACE/root" "$PLACE/mnt"
resolv=$(cat /etc/resolv.conf)
mount --bind "$GIVEN" "$PLACE/mnt"
mount -t overlay overlay -o "lowerdir=/,upperdir=$PLACE/upper,workdir=$PLACE/work" "$PLACE/root"
cd "$PLACE/root"
for folder in opt usr/local root home tmp run mnt ".$PROJECT"; do
  [ ! -d "$folder" ] || mount -t tmpfs tmpfs "$folder"
done
mount --move "$PLACE/mnt" mnt
mkdir -p usr/local/bin usr/local/lib/npm root/.npm/_cacache
rm -f etc/resolv.conf
echo "$resolv" > etc/resolv.conf
: > usr/local/bin/node
mount --bind "$NODE" usr/local/bin/node
mount --bind "$NPM" usr/local/lib/npm
ln -s ../lib/npm/bin/npm-cli.js usr/local/bin/npm
ln -s /mnt/systemctl /mnt/systemd-run usr/local/bin
[ ! -d "$CACHE" ] || mount --bind "$CACHE" root/.npm/_cacache
mount -t proc proc proc
mount --rbind /dev dev
exec chroot . sh -c 'echo ready; exec sleep infinity'`

/**
 * systemd is not running there. Its own systemctl enables the unit. This one then starts and stops what the unit names,
 * as its user and with its settings, but without its protections. Caddy gets no ports and files outside of the test.
 */
const SYSTEMCTL = `#!/bin/sh
set -e
value() { sed -n "s/^$1=-\\{0,1\\}//p" /etc/systemd/system/placard.service; }
start() {
  install -d -m 700 -o "$(value User)" -g "$(value Group)" "/var/lib/$(value StateDirectory)"
  (
    settings=$(systemd-run -p "Environment=$(value Environment)" -p "EnvironmentFile=$(value EnvironmentFile)" \\
      /bin/sh -c 'export -p')
    eval "$settings"
    umask "$(value UMask)"
    cd "$(value WorkingDirectory)"
    exec setpriv --reuid "$(value User)" --regid "$(value Group)" --init-groups $(value ExecStart)
  ) >> /var/log/placard.log 2>&1 &
  echo $! > /run/placard.pid
}
case "$*" in
  "enable --now "*) SYSTEMD_OFFLINE=1 /usr/bin/systemctl enable "$3" && start ;;
  "start placard") start ;;
  "stop placard")
    kill "$(cat /run/placard.pid)"
    # After its end, it stays as a zombie, because process 1 waits for none.
    while readlink "/proc/$(cat /run/placard.pid)/exe" > /dev/null; do sleep 0.1; done
    ;;
  "reload caddy")
    { printf '{\\nadmin off\\nauto_https disable_redirects\\n}\\n' && cat /etc/caddy/Caddyfile; } > /run/Caddyfile
    HOME=/var/lib/caddy setpriv --reuid caddy --regid caddy --init-groups \\
      caddy run --config /run/Caddyfile --adapter caddyfile >> /var/log/caddy.log 2>&1 &
    ;;
  *) echo "not known here: systemctl $*" >&2; exit 1 ;;
esac
`

/** Runs a command with the settings of a unit. systemd itself reads their file. */
const SYSTEMD_RUN = `#!/usr/bin/python3
import ctypes, glob, os, re, sys
options = dict(pair.split('=', 1) for flag, pair in zip(sys.argv, sys.argv[1:]) if flag == '-p')
[library] = glob.glob('/usr/lib/*/systemd/libsystemd-shared-*.so')
systemd, libc = ctypes.CDLL(library), ctypes.CDLL(None)
libc.fopen.restype = ctypes.c_void_p
name = options['EnvironmentFile'].lstrip('-').encode()
settings = ctypes.POINTER(ctypes.c_char_p)()
if systemd.load_env_file(ctypes.c_void_p(libc.fopen(name, b're')), name, ctypes.byref(settings)) < 0:
    sys.exit('the file of settings cannot be read')
env = dict([options['Environment'].split('=', 1)], PATH=os.environ['PATH'])
at = 0
while settings[at]:
    key, value = settings[at].decode().split('=', 1)
    if re.fullmatch('[A-Za-z_][A-Za-z0-9_]*', key):
        env[key] = value
    at += 1
command = sys.argv[sys.argv.index('/bin/sh'):]
os.execve(command[0], command, env)
`

export interface BareMachine {
  /** Runs a command line as root. @returns what it printed @throws Error with what it printed */
  run(command: string): Promise<string>
  remove(): void
}

/** @param given a folder that the machine sees as /mnt */
export async function bareDebian(given: string, env: Readonly<Record<string, string>>): Promise<BareMachine> {
  const place = mkdtempSync(join(tmpdir(), 'placard-debian-'))
  writeFileSync(join(given, 'systemctl'), SYSTEMCTL, { mode: 0o755 })
  writeFileSync(join(given, 'systemd-run'), SYSTEMD_RUN, { mode: 0o755 })
  const npm = execFileSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).trim()
  const child = spawn('unshare', ['--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', ENTER], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env.PATH,
      PLACE: place,
      GIVEN: given,
      PROJECT: project,
      NODE: realpathSync(process.execPath),
      NPM: dirname(dirname(realpathSync(npm))),
      CACHE: join(homedir(), '.npm/_cacache'),
    },
  })
  /** The process inside; `unshare` only waits for it. */
  const pid = () => readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim()
  // It has mounted everything by then.
  const [said] = await Promise.race([once(child.stdout, 'data'), once(child, 'exit')])
  if (String(said).trim() !== 'ready') throw new Error(`the machine did not start: exit code ${said}`)
  return {
    async run(command) {
      const entered = ['--target', pid(), '--mount', '--pid', '--root', '--wd']
      const { stdout, stderr } = await execute('nsenter', [...entered, 'sh', '-c', `cd && { ${command}\n}`], {
        env: { HOME: '/root', PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', ...env },
        maxBuffer: 2 ** 24,
      }).catch(error => {
        throw new Error(`${error.message}${error.stdout}`, { cause: error })
      })
      return stdout + stderr
    },
    remove() {
      child.kill('SIGKILL')
      rmSync(place, { recursive: true, force: true })
    },
  }
}
