// @module-tag programs
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../../support/free-port.ts'
import { fromDocs } from '../../support/proxies.ts'

const isInstalled = spawnSync('varnishd', ['-V']).error === undefined
if (!isInstalled) console.warn('varnish is not installed, so its configuration in docs/scaling.md is not tested')

describe.runIf(isInstalled)('Varnish, as docs/scaling.md configures it,', () => {
  let backend: Server
  let varnish: ChildProcess
  let folder: string
  let url: string
  beforeAll(async () => {
    // Replies with the cookie that arrived.
    backend = createServer(({ headers }, response) => {
      response.writeHead(200, { 'surrogate-key': 'home', 'cache-control': 'no-store' }).end(headers.cookie ?? 'none')
    })
    await once(backend.listen(0, '127.0.0.1'), 'listening')
    folder = mkdtempSync(join(tmpdir(), 'placard-varnish-'))
    const configuration = fromDocs('scaling', 'vcl', /backend default/)
    const { port } = backend.address() as AddressInfo
    writeFileSync(join(folder, 'default.vcl'), configuration.replace('"8080"', `"${port}"`))
    const address = `127.0.0.1:${await freePort()}`
    url = `http://${address}`
    const files = ['-n', join(folder, 'work'), '-f', join(folder, 'default.vcl')]
    varnish = spawn('varnishd', ['-F', '-j', 'none', '-a', address, '-T', 'none', '-s', 'malloc,16m', ...files], {
      stdio: 'ignore',
    })
    while (
      await cookieAt('GET', '/').then(
        () => false,
        () => true,
      )
    ) {
      if (varnish.exitCode !== null) throw new Error(`varnishd ended with ${varnish.exitCode}`)
      await setTimeout(50)
    }
  })
  afterAll(async () => {
    varnish?.kill()
    if (varnish?.exitCode === null) await once(varnish, 'close')
    backend.close()
    rmSync(folder, { recursive: true, force: true })
  })

  async function cookieAt(method: string, path: string): Promise<string> {
    const response = await fetch(`${url}${path}`, { method, headers: { cookie: 'a=b' } })
    return response.text()
  }

  it('passes the cookies of forms, private pages and the console, and drops those of public pages', async () => {
    for (const path of ['/manage/x', '/promote', '/console', '/console/counts'])
      expect([path, await cookieAt('GET', path)]).toEqual([path, 'a=b'])
    expect(await cookieAt('POST', '/own')).toBe('a=b')
    expect(await cookieAt('GET', '/own')).toBe('none')
  })

  it('purges for Placard, and not for visitors of a proxy on the same machine', async () => {
    const purge = (headers = {}) => fetch(url, { method: 'PURGE', headers: { 'surrogate-key': 'home', ...headers } })
    expect((await purge()).status).toBe(200)
    expect((await purge({ 'x-forwarded-for': '203.0.113.9' })).status).toBe(403)
  })
})
