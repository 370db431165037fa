// @module-tag programs
import { copyFileSync, existsSync, globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type BareMachine, bareDebian } from './bare-debian.ts'
import { mayIsolate } from './isolated.ts'

const script = fileURLToPath(new URL('../../deploy/systemd/placard.sh', import.meta.url))
const hasSystemd = existsSync('/usr/bin/python3') && globSync('/usr/lib/*/systemd/libsystemd-shared-*.so').length === 1
if (!hasSystemd) console.warn('NOT SHOWN: how systemd reads the settings, because systemd or python3 is not installed')
const isShown = hasSystemd && mayIsolate('NOT SHOWN: the operator’s command on a machine with systemd')

/** What an operator may write, and the value that systemd gives to the service. */
const WRITTEN: [line: string, value: string][] = [
  ['A=postgres://u:p&w@db/placard?a=1&b=2', 'postgres://u:p&w@db/placard?a=1&b=2'],
  ['B=tea # and cakes', 'tea # and cakes'],
  ['C=pa$$word`id`;(x)|<y>*~', 'pa$$word`id`;(x)|<y>*~'],
  ['D="quoted \\"twice\\" $HOME \\n"', 'quoted "twice" $HOME \\n'],
  ['E=\'single \\n "q" & #\'', 'single \\n "q" & #'],
  ["F=it's", "it's"],
  ['G=back\\\\slash', 'back\\slash'],
  ['H=   spaces around   ', 'spaces around'],
  ['I=', ''],
]

const given = mkdtempSync(join(tmpdir(), 'placard-command-'))
let machine: BareMachine
beforeAll(async () => {
  if (!isShown) return
  machine = await bareDebian(given, {})
  copyFileSync(script, join(given, 'placard.sh'))
  writeFileSync(join(given, 'env'), '#!/bin/sh\nexec env -0 "$@"\n', { mode: 0o755 })
  await machine.run(`
    chmod 755 /mnt
    useradd --system --shell /usr/sbin/nologin placard
    install -d -o placard /var/lib/placard /etc/placard
    install -D /mnt/env /opt/placard/bin/placard`)
})
afterAll(() => {
  machine?.remove()
  rmSync(given, { recursive: true, force: true })
})

/** Returns the environment that the operator's command has with these settings. */
async function environmentWith(settings: string, before = ''): Promise<Map<string, string>> {
  writeFileSync(join(given, 'settings'), settings)
  const printed = await machine.run(`install -m 600 /mnt/settings /etc/placard/placard.env
    ${before} sh /mnt/placard.sh`)
  return new Map(printed.split('\0').map(each => [each.split('=')[0] ?? '', each.slice(each.indexOf('=') + 1)]))
}

it.runIf(isShown).each(['\n', '\r\n'])(
  'gives a command the settings of the service, with lines that end in %j',
  async end => {
    const found = await environmentWith(WRITTEN.map(([line]) => line + end).join(''))
    expect(WRITTEN.map(([line]) => [line, found.get(line[0] ?? '')])).toEqual(WRITTEN)
    expect(found.get('DATA_DIR')).toBe('/var/lib/placard')
  },
)

it.runIf(isShown)('uses the DATA_DIR that was given, then that of the settings', async () => {
  expect((await environmentWith('DATA_DIR=/srv/one\n')).get('DATA_DIR')).toBe('/srv/one')
  expect((await environmentWith('DATA_DIR=/srv/one\n', 'DATA_DIR=/srv/two')).get('DATA_DIR')).toBe('/srv/two')
})

it.runIf(isShown)('runs nothing if systemd does not read the settings', async () => {
  await machine.run('install -D /bin/false /tmp/failing/systemd-run')
  await expect(machine.run('PATH=/tmp/failing:$PATH sh /mnt/placard.sh')).rejects.toThrow(/^(?!.*DATA_DIR)/s)
})
